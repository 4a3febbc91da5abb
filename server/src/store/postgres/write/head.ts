import { decodeFrontier, type Frontier } from '@deputize/protocol'
import { StoreError } from '../../port/store-error.ts'
import { bytes, integer, type Row } from '../../values.ts'
import { knownSchema, outdatedNode } from '../migration-files.ts'

/** The row that every batch advances. A batch works on a copy, whose last keys grow as it assigns keys. */
export interface Head {
  readonly batch: number
  /** Nodes that know fewer migrations than this must not write. */
  readonly oldest_schema: number
  readonly frontier: Frontier
  readonly last_ms: number
  last_token_key: number
  last_agent_key: number
  last_human_key: number
  last_workflow_key: number
  last_name_key: number
  last_data_key: number
}

export const HEAD = 'SELECT * FROM log_head WHERE single = 1'

/** Throws if a newer version has shut this one out, because its writes would lack something. */
export function headOf(row: Row | undefined): Head {
  if (row === undefined) throw new Error('the head of the log is missing: the data is damaged')
  const oldest = integer(row.oldest_schema)
  if (oldest > knownSchema())
    throw new StoreError('the node is outdated', 'nothing_written', undefined, false, outdatedNode(oldest))
  return {
    batch: integer(row.batch),
    oldest_schema: oldest,
    frontier: decodeFrontier(bytes(row.frontier)),
    last_ms: integer(row.last_ms),
    last_token_key: integer(row.last_token_key),
    last_agent_key: integer(row.last_agent_key),
    last_human_key: integer(row.last_human_key),
    last_workflow_key: integer(row.last_workflow_key),
    last_name_key: integer(row.last_name_key),
    last_data_key: integer(row.last_data_key),
  }
}
