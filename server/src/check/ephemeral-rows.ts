import { registryRef } from '../log/registry-ref.ts'
import type { EphemeralEntry } from '../store/ephemeral.ts'
import type { TableRow } from '../store/port/store-tables.ts'
import { ephemeralEntryOf } from '../store/rows/ephemeral.ts'
import { openEphemeral } from '../store/sealed-ephemeral.ts'
import { type DataKey, SealError } from '../store/vault.ts'
import type { Findings } from './findings.ts'
import type { ReplayState } from './replay/expected.ts'
import { entryKey } from './replay/registry-entries.ts'

/**
 * The rows of ephemeral data. In a running service, a session begins in the log before it has a row, and loses the row
 * before it ends in the log. So a session whose row was read before the log must have begun in it, and one whose row
 * was read after must not have ended in it.
 */
export interface EphemeralSnapshots {
  readonly before: readonly TableRow[]
  readonly after: readonly TableRow[]
}

/** Checks that this deployment wrote every row, and that every session is in force according to the log. */
export function checkEphemeralRows(
  { before, after }: EphemeralSnapshots,
  replay: ReplayState,
  deployment: DataKey,
  findings: Findings,
): void {
  for (const row of before) {
    const opened = openedRow(row, deployment)
    if (opened === undefined)
      findings.add(
        'ephemeral',
        String(row.key),
        `The ${row.kind} in ephemeral row ${row.key} was not written by this deployment, or was changed. The service ignores it.`,
      )
    else if (isSession(row) && !hasBegun(opened, row, replay))
      findings.add('ephemeral', opened.key, `No leaf records the begin of session ${opened.key}.`)
  }
  for (const row of after) {
    const opened = openedRow(row, deployment)
    if (opened !== undefined && isSession(row) && hasEnded(opened, row, replay))
      findings.add('ephemeral', opened.key, `Session ${opened.key} is stored, but the log records its end.`)
  }
}

function openedRow(row: TableRow, deployment: DataKey): EphemeralEntry | undefined {
  try {
    const entry = ephemeralEntryOf(row)
    return { ...entry, value: openEphemeral(deployment, String(row.kind), entry) }
  } catch (error) {
    if (error instanceof SealError || error instanceof TypeError) return undefined
    throw error
  }
}

/** Sessions of people and of API keys. */
function isSession({ kind }: TableRow): boolean {
  return kind === 'session' || kind === 'key_session'
}

function expectedSession({ key }: EphemeralEntry, { kind }: TableRow, replay: ReplayState) {
  const registered = kind === 'session' ? 'session' : 'key_session'
  return replay.registry.get(entryKey(registered, registryRef(key)))
}

function hasBegun(entry: EphemeralEntry, row: TableRow, replay: ReplayState): boolean {
  const { begun_index }: { begun_index?: number } = JSON.parse(entry.value) // sealed, so it is the service's own text
  const expected = expectedSession(entry, row, replay)
  return (
    expected !== undefined &&
    expected.owner === entry.owner &&
    (expected.document === undefined || expected.log_index === begun_index)
  )
}

function hasEnded(entry: EphemeralEntry, row: TableRow, replay: ReplayState): boolean {
  const expected = expectedSession(entry, row, replay)
  if (expected === undefined) return false
  if (expected.document === undefined) return true
  const erased_at = expected.owner === undefined ? undefined : replay.humans.get(expected.owner)?.erased_at
  return erased_at?.some((index) => index > expected.log_index) === true
}
