import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { OPERATIONS } from '@deputize/protocol'
import { importedFiles, importsIn, packageSources, REPOSITORY } from '@deputize/testing/source-imports.ts'

const SOURCE = join(REPOSITORY, 'server/src')

/**
 * The table of rooms in ARCHITECTURE.md is the only list of rooms and of what each may import. Its rows have the form
 *
 *     | `room` or `file.ts` | what it does | `other`, `file.ts` |
 *
 * where the third column names, in backquotes, the rooms that the first may import besides itself; a dash means none.
 */
function readRooms(): Map<string, readonly string[]> {
  const text = readFileSync(join(REPOSITORY, 'ARCHITECTURE.md'), 'utf8')
  const [, table = ''] = /^\| room \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? []
  const rooms = table
    .trimEnd()
    .split('\n')
    .map((row) => row.split('|').map(namesIn))
    .map(([, names = [], , may_import = []]) => {
      assert.equal(names.length, 1, `a row names ${names.length} rooms`)
      return [names[0] ?? '', may_import] as const
    })
  return new Map(rooms)
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([\w.-]+)\/?`/g)].map(([, name = '']) => name)
}

const MAY_IMPORT = readRooms()

/** Packages that only one room may import. */
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
  '@deputize/biometrics': 'verification',
  uqr: 'main.ts',
}

/** Rooms that wire other rooms. They may name the types of packages that they don't own. */
const COMPOSING_ROOMS = ['deputy.ts', 'assembly']

interface RoomImport {
  readonly file: string
  readonly room: string
  readonly target: string
  readonly isTypeOnly: boolean
}

function roomImports(file: string): RoomImport[] {
  const path = relative(SOURCE, file)
  return importsIn(file).map(({ specifier, is_type_only }) => ({
    file: path,
    room: roomOf(path),
    target: specifier,
    isTypeOnly: is_type_only,
  }))
}

function roomOf(path: string): string {
  return path.split(sep)[0] ?? path
}

const files = globSync(join(SOURCE, '**/*.ts'))
const imports = files.flatMap(roomImports)

describe('the rooms of the server', () => {
  test('are all listed in ARCHITECTURE.md', () => {
    assert.deepEqual(
      [...new Set(files.map((file) => roomOf(relative(SOURCE, file))))].sort(),
      [...MAY_IMPORT.keys()].sort(),
    )
  })

  test('import only the rooms that ARCHITECTURE.md allows', () => {
    const wrong = imports.filter(({ file, room, target }) => {
      if (!target.startsWith('.')) return false
      const other = roomOf(join(dirname(file), target))
      return other !== room && MAY_IMPORT.get(room)?.includes(other) !== true
    })
    assert.deepEqual(wrong, [])
  })

  test('import each owned package only in the room that owns it', () => {
    const wrong = imports.filter(({ room, target, isTypeOnly }) => {
      const owner = OWNED_PACKAGES[target]
      return owner !== undefined && owner !== room && !(isTypeOnly && COMPOSING_ROOMS.includes(room))
    })
    assert.deepEqual(wrong, [])
  })

  test('keep the rules of the domain free of clocks, files and randomness', () => {
    const domain = files.filter((file) => roomOf(relative(SOURCE, file)) === 'domain')
    for (const { target, file } of domain.flatMap(roomImports))
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
    const found = globSync(join(SOURCE, 'operations/*/**/*.ts')).flatMap((file) =>
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
        join(REPOSITORY, 'protocol/src/api', basename(folder), 'index.ts'),
        /_OPERATIONS$/,
      )
      assert.deepEqual(await membersOf(join(folder, 'index.ts'), /_HANDLERS$/), rows, folder)
      for (const id of rows)
        assert.equal(globSync(join(folder, '**', `${kebabCase(id)}.ts`)).length, 1, `${folder}: ${id}`)
    }
  })

  test('share code across subjects only through views, and files and folders that are not subjects', () => {
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

/** Returns the sorted member names of a module's only export whose name matches. */
async function membersOf(file: string, pattern: RegExp): Promise<string[]> {
  const module: Record<string, object> = await import(pathToFileURL(file).href)
  const [name = ''] = Object.keys(module).filter((key) => pattern.test(key))
  return Object.keys(module[name] ?? {}).sort()
}

describe('scripts for browsers', () => {
  test('import only themselves, each other, the verifier, the passkey client and the rule for visible text', () => {
    for (const file of globSync(join(REPOSITORY, 'web/verify/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.match(specifier, /^\.\/|^@deputize\/protocol\/verifier$/, file)
    for (const file of globSync(join(REPOSITORY, 'web/people/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.match(
          specifier,
          /^\.\/|^\.\.\/live\/|^@simplewebauthn\/browser$|^@deputize\/protocol\/visible-text$/,
          file,
        )
    for (const file of globSync(join(REPOSITORY, 'web/live/*.ts')))
      for (const { specifier } of importsIn(file)) assert.match(specifier, /^\.\//, file)
    for (const file of globSync(join(REPOSITORY, 'web/setup/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.match(specifier, /^\.\/|^@deputize\/protocol\/visible-text$/, file)
    for (const file of globSync(join(REPOSITORY, 'web/verify-me/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.match(specifier, /^\.\/|^uqr$|^@deputize\/protocol\/visible-text$/, file)
    for (const file of globSync(join(REPOSITORY, 'web/widget/**/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.match(specifier, /^\.\.?\/|^@deputize\/protocol\/visible-text$/, file)
  })
})

describe('the tests', () => {
  /** The folders that have tests, and those that use them. */
  const PACKAGES = [
    'protocol',
    'biometrics',
    'testing',
    'server',
    'cli',
    'sdk/node',
    'deploy',
    'docs',
    'integrations',
    'bench',
    'cluster',
    'web',
  ]

  test('of a package are not imported by other packages: shared code is in testing', () => {
    const wrong = PACKAGES.flatMap((own) =>
      globSync(`${own}/**/*.ts`, { cwd: REPOSITORY, exclude: ['**/node_modules/**', '**/dist/**'] }).flatMap(
        (file) =>
          importsIn(join(REPOSITORY, file))
            .map(({ specifier }) => (specifier.startsWith('.') ? join(dirname(file), specifier) : specifier))
            .filter((target) =>
              PACKAGES.some((other) => other !== own && target.startsWith(`${other}/test/`)),
            )
            .map((target) => `${file} imports ${target}`),
      ),
    )
    assert.deepEqual(wrong, [])
  })
})

describe('the protocol', () => {
  test('imports nothing from the server', () => {
    for (const file of globSync(join(REPOSITORY, 'protocol/src/**/*.ts')))
      for (const { specifier } of importsIn(file))
        assert.doesNotMatch(specifier, /^@deputize\/server|^\.\.\/\.\.\/server/, file)
  })
})

/** Returns the circles of a graph, each as a list of files that import the next one. The first is also the last. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file])
    if (done.has(file) || path.includes(file)) return
    path.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    path.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return circles
}

/** Generators contain the exports of generated files in templates. */
const WITHOUT_OWN_EXPORTS = /\/generated\/|\/build\/(?:generate|operations-source)\.ts$|\/test\/|\.test\.ts$/
const EXPORTED = /^export (?:abstract |async )*(?:const|function\*?|class|interface|type) (\w+)/gm

function exportedNames(file: string): Set<string> {
  const matches = readFileSync(join(REPOSITORY, file), 'utf8').matchAll(EXPORTED)
  return new Set([...matches].map(([, name = '']) => name))
}

/** The entry points of the SDK. A program imports one per framework. */
const SDK_ENTRY_POINTS = Object.values<string>(
  JSON.parse(readFileSync(join(REPOSITORY, 'sdk/node/package.json'), 'utf8')).exports,
).map((path) => join('sdk/node', path))

/**
 * True if several files export this name by design: an operation in its row, its handler and the SDK; the integration
 * of each framework; and files of which a process loads only one, such as those of the two databases.
 */
function mayRepeat(name: string, files: readonly string[]): boolean {
  if (Object.hasOwn(OPERATIONS, name)) return files.every((file) => OPERATION_FILES.test(file))
  if (files.every((file) => SDK_ENTRY_POINTS.includes(file))) return true
  return new Set(files.map(withoutVariant)).size === 1
}

const OPERATION_FILES = /^protocol\/src\/api\/|^server\/src\/operations\/|^sdk\/node\/src\//

function withoutVariant(file: string): string {
  return file.replace(/\/store\/(?:sqlite|postgres)\//, '/store/').replace('sha256-browser.ts', 'sha256.ts')
}

describe('the sources of all packages', () => {
  const graph = new Map(
    packageSources().map((file) => [file, importedFiles(join(REPOSITORY, file))] as const),
  )

  test('import each other without a circle, types included', () => {
    assert.deepEqual(circlesIn(graph), [])
  })

  test('are all read by this test, across packages', () => {
    assert.ok(graph.get('cli/src/client/call-command.ts')?.includes('protocol/src/index.ts'))
    assert.ok(graph.get('cli/src/start.ts')?.includes('server/src/main.ts'))
    // Built from sources that this test reads, or stylesheets, which import nothing.
    const isBuilt = (file: string) => file.startsWith('web/dist/') || file.endsWith('.css')
    const unknown = [...graph.values()].flat().filter((file) => !graph.has(file) && !isBuilt(file))
    assert.deepEqual(unknown, [])
  })

  test('export each name once', () => {
    const files_of = new Map<string, string[]>()
    for (const file of graph.keys())
      if (!WITHOUT_OWN_EXPORTS.test(file))
        for (const name of exportedNames(file)) files_of.set(name, [...(files_of.get(name) ?? []), file])
    const repeated = [...files_of].filter(([name, files]) => files.length > 1 && !mayRepeat(name, files))
    assert.deepEqual(repeated, [])
  })

  test('would be reported if they formed a circle', () => {
    const circle = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', []],
      ['d', ['a']],
    ])
    assert.deepEqual(circlesIn(circle), [['a', 'b', 'd', 'a']])
  })
})
