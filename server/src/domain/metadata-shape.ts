/** Members of `metadata.request` that name the kind of a call. Guards set them. Their values are part of the shape. */
const KINDS: readonly string[] = ['/request/method', '/request/route', '/request/tool']

/**
 * Returns the shape of a request's metadata: its members at every depth and their types, whatever their values. Two
 * requests of the same shape differ only in values. `metadata` is JSON text.
 */
export function metadataShape(metadata: string | undefined): string {
  const paths = new Set<string>()
  if (metadata !== undefined) addPaths(JSON.parse(metadata), '', paths)
  return JSON.stringify([...paths].sort())
}

/** Adds the paths of a value. All entries of an array share one path, so its length matters only if it is empty. */
function addPaths(value: unknown, path: string, paths: Set<string>): void {
  const names = KINDS.includes(path) && typeof value === 'string' ? `=${value}` : `:${typeName(value)}`
  paths.add(`${path}${names}`)
  if (Array.isArray(value)) for (const entry of value) addPaths(entry, `${path}/*`, paths)
  else if (typeof value === 'object' && value !== null)
    for (const [name, member] of Object.entries(value)) addPaths(member, `${path}/${escaped(name)}`, paths)
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Escapes a name as in a JSON pointer, so that no member can imitate another's path. `*` stands for array entries. */
function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('*', '~2').replaceAll(/[:=]/g, '~3')
}
