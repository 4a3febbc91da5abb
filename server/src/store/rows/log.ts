import type { Changes } from '../port/changes.ts'
import type { StoredCheckpoint } from '../port/log-reader.ts'
import { rowReader } from '../row-reader.ts'
import type { RowOf } from '../tables.ts'
import type { Row } from '../values.ts'
import type { RowKeys } from './row-keys.ts'

const readCheckpoint = rowReader('checkpoints')

/** Reads a row of `checkpoints`. */
export function checkpointOf(row: Row): StoredCheckpoint {
  const { size, root, signed_at_ms, note } = readCheckpoint(row)
  return { size, root, signed_at_ms, note }
}

/** The rows that a batch adds for the log. */
export interface LogRows {
  readonly leaves: readonly RowOf<'leaves'>[]
  readonly log_nodes: readonly RowOf<'log_nodes'>[]
  readonly standing_changes: readonly RowOf<'standing_changes'>[]
  readonly trust_changes: readonly RowOf<'trust_changes'>[]
  readonly workflow_leaves: readonly RowOf<'workflow_leaves'>[]
}

export function logRows({ leaves, nodes, frontier }: Changes, keys: RowKeys): LogRows {
  const first = frontier.size - leaves.length
  const standing_changes: RowOf<'standing_changes'>[] = []
  const trust_changes: RowOf<'trust_changes'>[] = []
  const workflow_leaves: RowOf<'workflow_leaves'>[] = []
  for (const [position, { changes_standing, changes_trust, provenance_ref, vat_jti }] of leaves.entries()) {
    const log_index = first + position
    if (changes_standing) standing_changes.push({ log_index })
    if (changes_trust) trust_changes.push({ log_index })
    if (provenance_ref !== undefined)
      workflow_leaves.push({
        workflow_key: keys.workflow(provenance_ref),
        log_index,
        token_key: vat_jti === undefined ? null : keys.token(vat_jti).token_key,
      })
  }
  return {
    leaves: leaves.map(({ hash, text }, position) => ({
      log_index: first + position,
      leaf_hash: hash,
      leaf: text,
    })),
    log_nodes: nodes.map(({ level, index, hash }) => ({ level, node_index: index, hash })),
    standing_changes,
    trust_changes,
    workflow_leaves,
  }
}
