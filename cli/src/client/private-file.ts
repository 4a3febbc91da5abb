import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { errorText } from '../start-problems.ts'
import { UsageError } from './exit.ts'

/** A new file that only its owner can read. It is created before the call, so that the secret can always be saved. */
export interface PrivateFile {
  keep(text: string): void
  /** Removes the file: the call failed, and there is no secret. */
  discard(): void
}

export function newPrivateFile(path: string): PrivateFile {
  const file = createdFile(path)
  return {
    keep(text) {
      writeSync(file, `${text}\n`)
      fsyncSync(file)
      closeSync(file)
    },
    discard() {
      closeSync(file)
      rmSync(path)
    },
  }
}

function createdFile(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    throw new UsageError(`${path} cannot be created: ${errorText(error)}`)
  }
}

/** Makes a call that returns a secret, and saves the secret to a file if one is named. */
export async function keeping<T>(
  path: string | undefined,
  call: () => Promise<T>,
  secretOf: (answer: T) => string,
): Promise<T> {
  if (path === undefined) return call()
  const file = newPrivateFile(path)
  try {
    const answer = await call()
    file.keep(secretOf(answer))
    return answer
  } catch (error) {
    file.discard()
    throw error
  }
}
