import { hash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const CHECKSUMS = 'SHA256SUMS'

/** Writes the SHA-256 of every other file of a folder, in the form that `sha256sum --check` reads. */
export function writeChecksums(directory: string): void {
  const names = readdirSync(directory).filter((name) => name !== CHECKSUMS)
  const lines = names
    .sort()
    .map((name) => `${hash('sha256', readFileSync(join(directory, name)))}  ${name}\n`)
  writeFileSync(join(directory, CHECKSUMS), lines.join(''))
}
