import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes the names of the files in a directory durable. Windows neither needs nor has such a step. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(directory, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
