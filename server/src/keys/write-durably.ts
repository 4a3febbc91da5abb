import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeDirectory } from '../make-directory.ts'

/** Replaces a private file. A crash leaves the old file or the new one, never a part of either. */
export function writeDurably(path: string, content: string): void {
  const directory = dirname(path)
  makeDirectory(directory)
  const draft = `${path}.new`
  // A crash here leaves the old file, and a draft that the next write replaces. writeFileSync continues a short write.
  withFile(draft, 'w', (fd) => writeFileSync(fd, content))
  renameSync(draft, path) // a crash here leaves the old file or the new one
  if (process.platform !== 'win32') withFile(directory, 'r', () => {}) // now the new name is durable too
}

function withFile(path: string, flags: string, use: (fd: number) => void): void {
  const fd = openSync(path, flags, 0o600)
  try {
    use(fd)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
