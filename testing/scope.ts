import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Anything with an `after` hook: a test, or a whole test file. */
export interface TestScope {
  after(clean: () => void | Promise<void>): void
}

/**
 * Cleans up when the scope ends, then drops the reference to `clean`. A test keeps its hooks until its process ends,
 * and with them everything that they reference.
 */
export function whenEnded(scope: TestScope, clean: () => void | Promise<void>): void {
  let pending: typeof clean | undefined = clean
  scope.after(async () => {
    const last = pending
    pending = undefined
    await last?.()
  })
}

/** An empty directory that is removed when the scope ends. */
export function temporaryDirectory(scope: TestScope): string {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  scope.after(() => {
    try {
      remove()
    } catch {
      // A program that a later hook ends still writes here. An error would skip that hook and leave it running.
      process.once('exit', remove)
    }
  })
  return directory
}
