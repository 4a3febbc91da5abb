import { readFileSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ExternalsRead, readExternals } from './read-external.ts'

/** Reads the file of external providers. Secrets are in separate files, with paths relative to it. */
export function loadExternals(file: string): ExternalsRead {
  try {
    const text = readFileSync(file, 'utf8')
    return readExternals(text, (path) => privateFile(resolve(dirname(file), path)))
  } catch (error) {
    return {
      entries: [],
      problems: [`Cannot read ${file} (${codeOf(error)}). Check the path and its permissions.`],
    }
  }
}

/** Reads a file. Throws if other users may read it, except on Windows, which has no such mode bits. */
function privateFile(path: string): string {
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
      throw new Error(`${path} can be read by others. Run: chmod 600 ${path}`)
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && !('code' in error)) throw error
    throw new Error(
      `Cannot read ${path} (${codeOf(error)}). Paths of secrets are relative to the providers file.`,
    )
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
