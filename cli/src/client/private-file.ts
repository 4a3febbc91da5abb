import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs'
import { UsageError } from './exit.ts'

/** A new file that only its owner can read. It exists before the call, so that no secret is made that cannot be kept. */
export interface PrivateFile {
  keep(text: string): void
  /** The call failed, and there is nothing to keep. */
  discard(): void
}

export function newPrivateFile(path: string): PrivateFile {
  const file = opened(path)
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

function opened(path: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    throw new UsageError(`${path} cannot be made: ${error instanceof Error ? error.message : error}`)
  }
}

/** Makes a call whose answer holds a secret, and keeps that in a file if one is named. */
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
