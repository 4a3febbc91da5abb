import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ProvidersRead, readProviders } from './providers.ts'

/** Reads the file of sign-in providers. Client secrets are in separate files, with paths relative to it. */
export function loadProviders(file: string): ProvidersRead {
  const read = (path: string) => readFileSync(path, 'utf8')
  try {
    return readProviders(read(file), (path) => read(resolve(dirname(file), path)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { providers: [], problems: [`Cannot read ${file} (${code}). Check the path and its permissions.`] }
  }
}
