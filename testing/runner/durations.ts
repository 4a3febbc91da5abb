import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { REPOSITORY } from '../source-imports.ts'

const FILE = join(REPOSITORY, 'node_modules/.cache/test-durations.json')

/** How long each test file took in its last run on this machine, in milliseconds. */
export function recordedDurations(): Map<string, number> {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(FILE, 'utf8'))))
  } catch {
    return new Map() // the first run, or a truncated file
  }
}

export function recordDurations(durations: ReadonlyMap<string, number>): void {
  mkdirSync(dirname(FILE), { recursive: true })
  const all = new Map([...recordedDurations(), ...durations])
  writeFileSync(FILE, JSON.stringify(Object.fromEntries([...all].sort()), undefined, 1))
}
