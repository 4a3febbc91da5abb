import type { TableRow } from '../../src/store/port.ts'
import { keyIdOf } from '../../src/store/vault.ts'
import type { Edit } from './edits.ts'

/** Changes that the check does not see, each with the reason why nobody is the worse for it. */
export interface Harmless {
  readonly reason: string
  is(edit: Edit): boolean
}

/** The rows of `data_keys`, as they were before anything was changed. */
export const DATA_KEYS = 'SELECT data_key, human_key, wrapped FROM data_keys'

export function harmlessEdits(data_keys: readonly TableRow[]): readonly Harmless[] {
  const destroyed = destroyedKeys(data_keys)
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
      reason: 'A kept answer that is gone is one that has ended: the request is judged anew.',
      is: ({ table, how }) => table === 'replays' && how === 'deleted',
    },
    {
      reason: 'A kept answer of an erased person is never given again, so it is as good as gone.',
      is: ({ table, row, column, after }) =>
        table === 'replays' && isErased(column === 'outcome' ? after : row?.outcome),
    },
    {
      reason:
        'The list of old checkpoints may have gaps: the log and the file apart from the store vouch for them.',
      is: ({ table, how }) => table === 'checkpoints' && how === 'deleted',
    },
    {
      reason:
        'When a checkpoint was signed is told to readers and decides nothing; size and root are signed.',
      is: ({ table, column }) => table === 'checkpoints' && column === 'signed_at_ms',
    },
    {
      reason: 'Words under a destroyed key can be read by nobody, before and after.',
      is: ({ column, row, after }) => {
        if (column === undefined || row === undefined || !(after instanceof Uint8Array)) return false
        const owner = ownerOfErased(row[column])
        return owner !== undefined && ownerOfErased(after) === owner
      },
    },
    {
      reason:
        'Batches only have to grow. Who wrote which is asked by one whose connection broke, about its own, right after.',
      is: ({ table, column }) => table === 'writers' || (table === 'log_head' && column === 'batch'),
    },
    {
      reason: 'Places in the status list that are passed over stay empty.',
      is: ({ table, column }) => table === 'status_places' && column === 'next',
    },
  ]
}

/** The destroyed keys, and whose they were. */
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

/** The key of each part of a kept answer, 0 for what was not sealed for a person. */
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
