import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a private file. A crash at any line leaves either the old file or the new one, whole: the new content is on
 * disk before it takes the name, and the name is on disk before this returns.
 */
export function writeDurably(path: string, content: string): void {
  const directory = dirname(path)
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const draft = `${path}.new`
  withFile(draft, 'w', (fd) => writeFileSync(fd, content)) // goes on after a short write
  renameSync(draft, path)
  if (process.platform !== 'win32') withFile(directory, 'r', () => {})
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
