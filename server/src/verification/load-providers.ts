import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type ProvidersRead, readProviders } from './providers.ts'

/** Reads the providers in a file. Secrets lie in files of their own, named from where that file lies. */
export function loadProviders(file: string): ProvidersRead {
  const read = (path: string) => readFileSync(path, 'utf8')
  try {
    return readProviders(read(file), (path) => read(resolve(dirname(file), path)))
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    return { providers: [], problems: [`The file ${file} cannot be read (${code}).`] }
  }
}
