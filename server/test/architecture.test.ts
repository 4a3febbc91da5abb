import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { OPERATIONS } from '@deputize/protocol'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const SOURCE = join(ROOT, 'server/src')

/**
 * Which rooms a room may look into, besides itself. The house has one direction: the door (main), the hall (http), the
 * desks (operations), the clerk, and at the bottom the rules, which know nothing of the others.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'main.ts': ['config.ts', 'deputy.ts', 'deployment', 'keys', 'log', 'store', 'version.ts'],
  'deputy.ts': ['assemble.ts', 'config.ts', 'deployment', 'housekeeping.ts', 'log'],
  'housekeeping.ts': ['clerk', 'deployment'],
  'assemble.ts': [
    'access',
    'clerk',
    'config.ts',
    'deployment',
    'http',
    'log',
    'operations',
    'outbound',
    'policies',
    'verification',
    'version.ts',
  ],
  'version.ts': [],
  deployment: ['config.ts', 'clerk', 'keys', 'log', 'store'],
  policies: ['domain'],
  'config.ts': ['log', 'loopback.ts'],
  'loopback.ts': [],
  http: ['operations', 'access', 'domain', 'loopback.ts'],
  operations: ['access', 'clerk', 'verification', 'log', 'store', 'keys', 'domain'],
  verification: ['outbound'],
  outbound: ['loopback.ts'],
  access: ['store', 'keys', 'domain'],
  check: ['store', 'log', 'keys', 'domain'],
  clerk: ['store', 'log', 'domain'],
  store: ['domain'],
  log: ['store'],
  keys: [],
  domain: [],
}

/** Packages that may be used in one room only. */
const OWNED_PACKAGES: Readonly<Record<string, string>> = {
  fastify: 'http',
  '@fastify/fast-json-stringify-compiler': 'http',
  ajv: 'http',
  'prom-client': 'http',
  '@scalar/fastify-api-reference': 'http',
  'node:sqlite': 'store',
  pg: 'store',
  'openid-client': 'verification',
  '@simplewebauthn/server': 'verification',
  '@simplewebauthn/server/helpers': 'verification',
}

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
  readonly isTypeOnly: boolean
}

const IMPORT = /^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm

function importsOf(file: string): Import[] {
  const path = relative(SOURCE, file)
  const text = readFileSync(file, 'utf8')
  return [...text.matchAll(IMPORT)].map(([, type, from, bare]) => ({
    file: path,
    room: roomOf(path),
    target: from ?? bare ?? '',
    isTypeOnly: type !== undefined,
  }))
}

function roomOf(path: string): string {
  return path.split(sep)[0] ?? path
}

const files = globSync(join(SOURCE, '**/*.ts'))
const imports = files.flatMap(importsOf)

describe('the rooms of the server', () => {
  test('are all named here', () => {
    assert.deepEqual(
      [...new Set(files.map((file) => roomOf(relative(SOURCE, file))))].sort(),
      Object.keys(MAY_IMPORT).sort(),
    )
  })

  test('look only into the rooms below them', () => {
    const wrong = imports.filter(({ file, room, target }) => {
      if (!target.startsWith('.')) return false
      const other = roomOf(join(dirname(file), target))
      return other !== room && !MAY_IMPORT[room]?.includes(other)
    })
    assert.deepEqual(wrong, [])
  })

  test('keep packages where they belong', () => {
    const wrong = imports.filter(({ room, target, isTypeOnly }) => {
      const owner = OWNED_PACKAGES[target]
      return (
        owner !== undefined && owner !== room && !(isTypeOnly && ['assemble.ts', 'deputy.ts'].includes(room))
      )
    })
    assert.deepEqual(wrong, [])
  })

  test('keep the rules free of clocks, disks and chance', () => {
    const domain = files.filter((file) => roomOf(relative(SOURCE, file)) === 'domain')
    for (const { target, file } of domain.flatMap(importsOf))
      assert.ok(target.startsWith('.') || target === '@deputize/protocol', `${file}: ${target}`)
    for (const file of domain)
      assert.doesNotMatch(readFileSync(file, 'utf8'), /Date\.now|new Date\(\)|Math\.random|process\./, file)
  })

  test('read the environment in one place', () => {
    const readers = files
      .filter((file) => /process\.env/.test(readFileSync(file, 'utf8')))
      .map((file) => relative(SOURCE, file))
    assert.deepEqual(readers, ['main.ts'])
  })
})

describe('the operations', () => {
  const subjects = globSync(join(SOURCE, 'operations/*/index.ts')).map((index) => dirname(index))

  test('have one file each, named after the operation id, in the folder of their subject', async () => {
    const found = globSync(join(SOURCE, 'operations/*/*.ts')).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(HANDLER)].map(([, name, id]) => ({ file, name, id })),
    )
    for (const { file, name = '', id } of found) {
      assert.equal(name, id, file)
      assert.equal(basename(file, '.ts'), kebabCase(name), file)
    }
    assert.deepEqual(found.map(({ id }) => id).sort(), Object.keys(OPERATIONS).sort())
  })

  test('are grouped like their rows in the protocol', async () => {
    for (const folder of subjects) {
      const rows = await membersOf(
        join(ROOT, 'protocol/src/api', basename(folder), 'index.ts'),
        /_OPERATIONS$/,
      )
      assert.deepEqual(await membersOf(join(folder, 'index.ts'), /_HANDLERS$/), rows, folder)
      for (const id of rows) assert.ok(existsSync(join(folder, `${kebabCase(id)}.ts`)), `${folder}: ${id}`)
    }
  })

  test('share code across subjects only through views and the files beside handlers.ts', () => {
    const names = subjects.map((folder) => basename(folder))
    const wrong = imports.filter(({ file, room, target }) => {
      if (room !== 'operations' || !target.startsWith('.')) return false
      const [, own = ''] = file.split(sep)
      const [other, subject = ''] = join(dirname(file), target).split(sep)
      return own !== 'handlers.ts' && other === room && subject !== own && names.includes(subject)
    })
    assert.deepEqual(wrong, [])
  })
})

const HANDLER = /^export const (\w+): Handler<'(\w+)'>/gm

function kebabCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The member names of the one export of a module that matches, sorted. */
async function membersOf(file: string, pattern: RegExp): Promise<string[]> {
  const module: Record<string, object> = await import(pathToFileURL(file).href)
  const [name = ''] = Object.keys(module).filter((key) => pattern.test(key))
  return Object.keys(module[name] ?? {}).sort()
}

describe('what browsers run', () => {
  test('imports nothing but itself, the verifier, and what speaks to passkeys', () => {
    for (const file of globSync(join(ROOT, 'web/verify/*.ts')))
      for (const { target } of importsOf(file))
        assert.match(target, /^\.\/|^@deputize\/protocol\/verifier$/, file)
    for (const file of globSync(join(ROOT, 'web/people/*.ts')))
      for (const { target } of importsOf(file)) assert.match(target, /^\.\/|^@simplewebauthn\/browser$/, file)
  })
})

describe('the protocol', () => {
  test('imports nothing of the server', () => {
    for (const file of globSync(join(ROOT, 'protocol/src/**/*.ts'))) {
      assert.doesNotMatch(readFileSync(file, 'utf8'), /from '(?:@deputize\/server|\.\.\/\.\.\/server)/, file)
    }
  })
})
