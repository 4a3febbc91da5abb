import type { TableRow } from '../../src/store/port/store-tables.ts'
import { readSums } from '../../src/store/rows/sums.ts'
import { keyIdOf } from '../../src/store/vault.ts'
import type { Edit } from './edits.ts'

/** A change that the check doesn't detect, and the reason why it does no harm. */
export interface Harmless {
  readonly reason: string
  is(edit: Edit): boolean
}

/** The rows of `data_keys` before any change. */
export const DATA_KEYS = 'SELECT data_key, human_key, wrapped FROM data_keys'

/** The deferred sums before any change. */
export const PUT_OFF = 'SELECT sums FROM deferred_sums'

export function harmlessEdits(
  data_keys: readonly TableRow[],
  put_off: readonly TableRow[],
): readonly Harmless[] {
  const destroyed = destroyedKeys(data_keys)
  const acting = actingAgents(put_off)
  const ownerOfErased = (value: unknown) => {
    const key_id = keyOf(value)
    return key_id === undefined ? undefined : destroyed.get(key_id)
  }
  const isErased = (outcome: unknown) => {
    const keys = partKeys(outcome)
    return keys.length > 0 && keys.every((key_id) => destroyed.has(key_id))
  }
  return [
    {
      reason: 'A missing stored answer is like an expired one: the request is judged again.',
      is: ({ table, how }) => table === 'replays' && how === 'deleted',
    },
    {
      reason: 'A stored answer of an erased person is never returned again.',
      is: ({ table, row, column, after }) =>
        table === 'replays' && isErased(column === 'outcome' ? after : row?.outcome),
    },
    {
      reason: 'The list of old checkpoints may have gaps: the log and the checkpoint file vouch for the log.',
      is: ({ table, how }) => table === 'checkpoints' && how === 'deleted',
    },
    {
      reason: 'The time of a checkpoint is informational; its size and root are signed.',
      is: ({ table, column }) => table === 'checkpoints' && column === 'signed_at_ms',
    },
    {
      reason: 'A text under a destroyed key is unreadable, before and after.',
      is: ({ column, row, after }) => {
        if (column === undefined || row === undefined || !(after instanceof Uint8Array)) return false
        const owner = ownerOfErased(row[column])
        return owner !== undefined && ownerOfErased(after) === owner
      },
    },
    {
      reason:
        'Batch numbers only have to grow. A node reads its own row of `writers` only after its connection broke.',
      is: ({ table, column }) => table === 'writers' || (table === 'log_head' && column === 'batch'),
    },
    {
      reason: 'Sums that were put off are added up, in whichever order.',
      is: ({ table, column }) => table === 'deferred_sums' && column === 'batch',
    },
    {
      reason: 'The last action of an agent that was put off with its sums replaces the earlier one.',
      is: ({ table, column, row }) =>
        table === 'agents' && column === 'last_action_ms' && acting.has(String(row?.agent_id)),
    },
    {
      reason:
        'A stopped service has no journal, so the number of its last frame means nothing. With a journal, a wrong one stops the start, or leaves a log that is shorter than its checkpoint.',
      is: ({ table }) => table === 'journal_position',
    },
    {
      reason: 'A kept score follows from every log in which it is the same.',
      is: ({ table, column, after }) =>
        table === 'vouch_scores' && column === 'log_size' && typeof after === 'number',
    },
    {
      reason: 'Skipped indexes in the status list stay unused.',
      is: ({ table, column }) => table === 'status_places' && column === 'next',
    },
  ]
}

/** Agents with actions among the deferred sums. */
function actingAgents(put_off: readonly TableRow[]): ReadonlySet<string> {
  const agents = put_off.flatMap(({ sums }) => [...readSums(String(sums)).sums.agents])
  return new Set(agents.filter(([, { total_actions }]) => total_actions > 0).map(([agent_id]) => agent_id))
}

/** The destroyed keys and their owners. */
function destroyedKeys(rows: readonly TableRow[]): ReadonlyMap<number, unknown> {
  return new Map(
    rows
      .filter(({ wrapped }) => wrapped instanceof Uint8Array && wrapped.every((byte) => byte === 0))
      .map(({ data_key, human_key }) => [Number(data_key), human_key]),
  )
}

function keyOf(value: unknown): number | undefined {
  try {
    return value instanceof Uint8Array ? keyIdOf(value) : undefined
  } catch {
    return undefined
  }
}

/** The key of each part of a stored answer, or 0 if the part isn't sealed for a person. */
function partKeys(value: unknown): number[] {
  if (!(value instanceof Uint8Array)) return [0]
  const all = Buffer.from(value)
  const keys: number[] = []
  for (let at = 0; at + 4 <= all.length; ) {
    const end = at + 4 + all.readUInt32BE(at)
    keys.push(end > all.length ? 0 : (keyOf(all.subarray(at + 4, end)) ?? 0))
    at = end
  }
  return keys
}
