import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const VECTORS = join(import.meta.dirname, '../vectors')

/** The bytes of a file below `vectors/`. */
export function readBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(join(VECTORS, path)))
}

export function readText(path: string): string {
  return readFileSync(join(VECTORS, path), 'utf8')
}

/** The JSON in a file below `vectors/`, as the type that the caller expects. */
export function readVector<Shape>(path: string): Shape {
  return JSON.parse(readText(path))
}

/** The paths of all JSON files below a folder of `vectors/`, sorted. */
export function listVectors(folder: string): string[] {
  const names = readdirSync(join(VECTORS, folder), { recursive: true, encoding: 'utf8' })
  return names
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(folder, name))
}

export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

export function fromHex(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'hex'))
}
