import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The files below a directory with their contents, except those that a running program removes during the read. */
export function filesBelow(directory: string): { name: string; bytes: Buffer }[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const file = join(directory, name)
    try {
      return statSync(file).isFile() ? [{ name, bytes: readFileSync(file) }] : []
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
  })
}
