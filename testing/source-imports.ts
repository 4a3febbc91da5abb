import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const REPOSITORY = fileURLToPath(new URL('../', import.meta.url))

/** One import or re-export statement. */
export interface SourceImport {
  /** As written: a relative path or a package. */
  readonly specifier: string
  readonly is_type_only: boolean
}

const COMMENT = /\/\*[\s\S]*?\*\//g
const STATEMENT = /^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm
const DYNAMIC = /\bimport\('([^']+)'\)/g

/** The imports of a source, including dynamic ones, but without those in its comments. */
export function importsIn(file: string): SourceImport[] {
  const text = readFileSync(file, 'utf8').replaceAll(COMMENT, '')
  const statements = [...text.matchAll(STATEMENT)].map(([, type, from, bare]) => ({
    specifier: from ?? bare ?? '',
    is_type_only: type !== undefined,
  }))
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({
    specifier,
    is_type_only: false,
  }))
  return [...statements, ...dynamic]
}

/** The repository's sources that a file imports, including for types. Templates of generated files may name others. */
export function importedFiles(file: string): string[] {
  return importsIn(file)
    .map(({ specifier }) => resolvedSource(file, specifier))
    .filter((target) => target !== undefined)
    .filter((target) => existsSync(join(REPOSITORY, target)))
}

const OWN_PACKAGES = new Map(
  ['protocol', 'server', 'cli', 'sdk/node', 'testing'].map((folder) => {
    const { name, exports = {} } = JSON.parse(readFileSync(join(REPOSITORY, folder, 'package.json'), 'utf8'))
    return [name as string, { folder, exports: exports as Readonly<Record<string, unknown>> }] as const // our own
  }),
)

function resolvedSource(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return relative(REPOSITORY, resolve(dirname(file), specifier))
  const [, name = '', path = ''] = /^(@deputize\/[\w-]+)(?:\/(.*))?$/.exec(specifier) ?? []
  const own = OWN_PACKAGES.get(name)
  if (own === undefined) return undefined
  const target = own.exports[path === '' ? '.' : `./${path}`] ?? path
  return typeof target === 'string' ? join(own.folder, target) : undefined
}

/** Every source of the packages, without tests and files generated at build time. */
export function packageSources(): string[] {
  return globSync('{protocol,biometrics,server,cli,sdk/node}/{src,build,bin}/**/*.{ts,js}', {
    cwd: REPOSITORY,
  })
    .concat(globSync('{testing,web,bench}/**/*.{ts,tsx}', { cwd: REPOSITORY }))
    .filter((file) => !/node_modules|\/dist\/|\.d\.ts$/.test(file) && existsSync(join(REPOSITORY, file)))
}
