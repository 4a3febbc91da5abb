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
  scope.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
