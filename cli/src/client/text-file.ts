import { readFileSync } from 'node:fs'
import { errorText } from '../start-problems.ts'
import { UsageError } from './exit.ts'

/** The text of a file, without surrounding white space. */
export function readTextFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${errorText(error)}`)
  }
}
