import type { StoreTables } from '../store/port.ts'
import { partsOf, placesOf } from '../store/rows/replays.ts'
import type { Findings } from './findings.ts'
import type { SealedWords } from './sealed-words.ts'

/** The answers that are kept for repeated requests: no leaf tells of them, but each part is sealed for its very row. */
export async function checkReplays(
  tables: StoreTables,
  words: SealedWords,
  findings: Findings,
): Promise<void> {
  for await (const row of tables.rows('SELECT * FROM replays')) {
    const key = String(row.replay_key)
    const fault = replayFault(row.outcome, words, {
      key,
      fingerprint: String(row.fingerprint),
      expires_at_ms: Number(row.expires_at_ms),
    })
    if (fault !== undefined) findings.add('replays', key, `The answer kept as replays ${key} ${fault}.`)
  }
}

function replayFault(
  outcome: unknown,
  words: SealedWords,
  replay: Parameters<typeof placesOf>[0],
): string | undefined {
  const parts = outcome instanceof Uint8Array ? safeParts(outcome) : []
  if (parts.length === 0) return 'has no parts'
  const placeOf = placesOf(replay, parts.length)
  for (const [index, part] of parts.entries()) {
    const opened = words.open(part, placeOf(index))
    if ('fault' in opened) return opened.fault
  }
  return undefined
}

function safeParts(outcome: Uint8Array): Uint8Array[] {
  try {
    return partsOf(outcome)
  } catch {
    return []
  }
}

/** The marks by which a store knows the deployment that it belongs to. */
export async function checkDeployment(
  tables: StoreTables,
  words: SealedWords,
  instance: string,
  findings: Findings,
): Promise<void> {
  const rules: Readonly<Record<string, (value: string) => boolean>> = {
    instance: (value) => value === instance,
    vault: (value) => isSealedByDeployment(value, words),
    to_clear: () => true, // the next start clears what was sealed, and removes it
    probe: () => true, // says only that something could be written
  }
  const seen = new Set<string>()
  for await (const row of tables.rows('SELECT name, value FROM deployment')) {
    const name = String(row.name)
    seen.add(name)
    if (!Object.hasOwn(rules, name) || rules[name]?.(String(row.value)) !== true)
      findings.add(
        'deployment',
        name,
        `The value of deployment ${name} does not belong to the keys beside the store.`,
      )
  }
  for (const name of ['instance', 'vault'])
    if (!seen.has(name)) findings.add('deployment', name, `The value of deployment ${name} is missing.`)
}

function isSealedByDeployment(value: string, words: SealedWords): boolean {
  const sealed = Buffer.from(value, 'base64url')
  if (sealed.toString('base64url') !== value) return false
  const opened = words.open(sealed, { kind: 'check', row: 'vault' })
  return 'text' in opened && opened.owner === undefined && opened.text === 'open'
}
