import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Anything with an `after` hook: a test, or a whole test file. */
export interface TestScope {
  after(clean: () => void | Promise<void>): void
}

/** An empty directory that is removed when the scope ends. */
export function temporaryDirectory(scope: TestScope): string {
  const directory = mkdtempSync(join(tmpdir(), 'deputy-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  scope.after(() => {
    try {
      remove()
    } catch {
      // A program that a later hook ends still writes here. An error would skip that hook, and the program would run on.
      process.once('exit', remove)
    }
  })
  return directory
}
