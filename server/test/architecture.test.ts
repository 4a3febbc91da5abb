import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

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
