import type { DatabaseSync } from 'node:sqlite'
import { decodeFrontier, emptyFrontier, type Frontier } from '@deputize/protocol'
import { ExpectedFailure, RESTORE_BACKUP } from '../../../expected-failure.ts'
import { rowReader } from '../../row-reader.ts'
import { optionalInteger } from '../../values.ts'

/** The end of the log. */
export interface Head {
  readonly frontier: Frontier
  readonly last_ms: number
}

const readHeadRow = rowReader('log_head')

/** Reads the end of the log. Throws if the leaves don't reach exactly that far. */
export function readHead(db: DatabaseSync): Head {
  const row = db.prepare('SELECT frontier, last_ms FROM log_head').get()
  const last = optionalInteger(db.prepare('SELECT max(log_index) AS last FROM leaves').get()?.last)
  const head = row === undefined ? { frontier: emptyFrontier(), last_ms: 0 } : headOf(readHeadRow(row))
  const size = (last ?? -1) + 1
  if (size !== head.frontier.size) {
    throw new ExpectedFailure(
      `The log holds ${size} leaves, but its head says ${head.frontier.size}: the data is damaged. ${RESTORE_BACKUP}`,
    )
  }
  return head
}

function headOf({ frontier, last_ms }: { frontier: Uint8Array; last_ms: number }): Head {
  return { frontier: decodeFrontier(frontier), last_ms }
}
