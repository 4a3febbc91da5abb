import type { StoreTables } from '../store/port/store-tables.ts'
import { partsOf, placesOf } from '../store/rows/replays.ts'
import type { Findings } from './findings.ts'
import type { SealedTexts } from './sealed-texts.ts'

/** Checks the stored answers to repeated requests. They have no leaves, but each part is sealed for its row. */
export async function checkReplays(
  tables: StoreTables,
  texts: SealedTexts,
  findings: Findings,
): Promise<void> {
  for await (const row of tables.rows('SELECT * FROM replays')) {
    const key = String(row.replay_key)
    const fault = replayFault(row.outcome, texts, {
      key,
      fingerprint: String(row.fingerprint),
      expires_at_ms: Number(row.expires_at_ms),
    })
    if (fault !== undefined) findings.add('replays', key, `The stored answer replays ${key} ${fault}.`)
  }
}

function replayFault(
  outcome: unknown,
  texts: SealedTexts,
  replay: Parameters<typeof placesOf>[0],
): string | undefined {
  const parts = outcome instanceof Uint8Array ? readableParts(outcome) : []
  if (parts.length === 0) return 'has no parts'
  const placeOf = placesOf(replay, parts.length)
  for (const [index, part] of parts.entries()) {
    const opened = texts.open(part, placeOf(index))
    if ('fault' in opened) return opened.fault
  }
  return undefined
}

function readableParts(outcome: Uint8Array): Uint8Array[] {
  try {
    return partsOf(outcome)
  } catch {
    return []
  }
}

/** Checks the values that tie a store to its deployment. */
export async function checkDeployment(
  tables: StoreTables,
  texts: SealedTexts,
  instance: string,
  findings: Findings,
): Promise<void> {
  const rules: Readonly<Record<string, (value: string) => boolean>> = {
    instance: (value) => value === instance,
    vault: (value) => isSealedByDeployment(value, texts),
    to_clear: () => true, // the next start processes and removes it
    probe: () => true, // only proves that a write succeeded
  }
  const seen = new Set<string>()
  for await (const row of tables.rows('SELECT name, value FROM deployment')) {
    const name = String(row.name)
    seen.add(name)
    if (!Object.hasOwn(rules, name) || rules[name]?.(String(row.value)) !== true)
      findings.add(
        'deployment',
        name,
        `The value of deployment ${name} does not belong to the keys of this deployment.`,
      )
  }
  for (const name of ['instance', 'vault'])
    if (!seen.has(name)) findings.add('deployment', name, `The value of deployment ${name} is missing.`)
}

function isSealedByDeployment(value: string, texts: SealedTexts): boolean {
  const sealed = Buffer.from(value, 'base64url')
  if (sealed.toString('base64url') !== value) return false
  const opened = texts.open(sealed, { kind: 'check', row: 'vault' })
  return 'text' in opened && opened.owner === undefined && opened.text === 'open'
}
