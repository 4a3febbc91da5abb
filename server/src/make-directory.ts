import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a directory that only this user can read, with those above it that are missing. One that exists stays as it is.
 * The recursive mode of Node never returns where a file system takes no directories, such as below /proc.
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
