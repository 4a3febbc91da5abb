import { decodeFrontier } from '@deputize/protocol'
import type { LogReader } from '../../port/log-reader.ts'
import { checkpointOf } from '../../rows/log.ts'
import { pageOf } from '../../rows/page.ts'
import { bytes, text } from '../../values.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

export function logReader(database: Database): LogReader {
  const newestBelow = (size: number | undefined, limit: number) =>
    rowsOf(
      database,
      'SELECT * FROM checkpoints WHERE size < ? ORDER BY size DESC LIMIT ?',
      size ?? Number.MAX_SAFE_INTEGER,
      limit,
    )
  const between = (column: 'leaf' | 'leaf_hash', start: number, end: number) =>
    rowsOf(
      database,
      `SELECT ${column} AS value FROM leaves WHERE log_index >= ? AND log_index < ? ORDER BY log_index`,
      start,
      end,
    )

  return {
    async head() {
      const [row] = await rowsOf(database, 'SELECT frontier FROM log_head')
      return decodeFrontier(bytes(row?.frontier))
    },
    leaves: async (start, end) => (await between('leaf', start, end)).map(({ value }) => text(value)),
    leafHashes: async (start, end) =>
      (await between('leaf_hash', start, end)).map(({ value }) => bytes(value)),
    async nodes(level, start, end) {
      const rows = await rowsOf(
        database,
        'SELECT hash FROM log_nodes WHERE level = ? AND node_index >= ? AND node_index < ? ORDER BY node_index',
        level,
        start,
        end,
      )
      return rows.map(({ hash }) => bytes(hash))
    },
    lastCheckpoint: async () => (await newestBelow(undefined, 1)).map(checkpointOf)[0],
    checkpoints: async ({ limit, before }) =>
      pageOf(await newestBelow(before, limit + 1), limit, checkpointOf, 'size'),
  }
}
