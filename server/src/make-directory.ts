import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory that only this user can read, with its missing parents. An existing one stays unchanged. Node's
 * recursive mode never returns on a file system that accepts no directories, such as below /proc.
 */
export function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (isDirectory(path)) return
    const above = dirname(path)
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing || above === path || isDirectory(above)) throw error
    makeDirectory(above)
    makeDirectory(path)
  }
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}
