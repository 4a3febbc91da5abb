import type { DatabaseSync } from 'node:sqlite'
import { append, decodeFrontier, emptyFrontier, encodeFrontier, TILE_LEVELS } from '@deputize/protocol'
import { ExpectedFailure, RESTORE_BACKUP } from '../../../expected-failure.ts'
import type { LogReader } from '../../port/log-reader.ts'
import { checkpointOf } from '../../rows/log.ts'
import { pageOf } from '../../rows/page.ts'
import { bytes, integer, text } from '../../values.ts'

export function logReader(db: DatabaseSync): LogReader {
  const head = db.prepare('SELECT frontier FROM log_head')
  const leaves = db.prepare(
    'SELECT leaf FROM leaves WHERE log_index >= ? AND log_index < ? ORDER BY log_index',
  )
  const hashes = db.prepare(
    'SELECT leaf_hash FROM leaves WHERE log_index >= ? AND log_index < ? ORDER BY log_index',
  )
  const nodes = db.prepare(
    'SELECT hash FROM log_nodes WHERE level = ? AND node_index >= ? AND node_index < ? ORDER BY node_index',
  )
  const checkpoints = db.prepare('SELECT * FROM checkpoints WHERE size < ? ORDER BY size DESC LIMIT ?')

  return {
    async head() {
      const row = head.get()
      return row === undefined ? emptyFrontier() : decodeFrontier(bytes(row.frontier))
    },
    leaves: async (start, end) => leaves.all(start, end).map((row) => text(row.leaf)),
    leafHashes: async (start, end) => hashes.all(start, end).map((row) => bytes(row.leaf_hash)),
    nodes: async (level, start, end) => nodes.all(level, start, end).map((row) => bytes(row.hash)),
    lastCheckpoint: async () => checkpoints.all(Number.MAX_SAFE_INTEGER, 1).map(checkpointOf)[0],
    checkpoints: async ({ limit, before = Number.MAX_SAFE_INTEGER }) =>
      pageOf(checkpoints.all(before, limit + 1), limit, checkpointOf, 'size'),
  }
}

/**
 * Adds the nodes of leaves that were logged before nodes were stored, once. Throws unless the nodes computed from the
 * leaves end in the stored frontier.
 */
export function addMissingNodes(db: DatabaseSync): void {
  const first = integer(db.prepare('SELECT count(*) AS nodes FROM log_nodes WHERE level = 1').get()?.nodes)
  const size = integer(db.prepare('SELECT coalesce(max(log_index) + 1, 0) AS size FROM leaves').get()?.size)
  if (first > 0 || size < 2 ** TILE_LEVELS) return
  const insert = db.prepare('INSERT INTO log_nodes (level, node_index, hash) VALUES (?, ?, ?)')
  const frontier = emptyFrontier()
  db.exec('BEGIN IMMEDIATE')
  for (const row of db.prepare('SELECT leaf_hash FROM leaves ORDER BY log_index').iterate()) {
    append(frontier, bytes(row.leaf_hash), ({ level, index }, hash) => {
      if (level % TILE_LEVELS === 0) insert.run(level / TILE_LEVELS, index, hash)
    })
  }
  const kept = bytes(db.prepare('SELECT frontier FROM log_head').get()?.frontier)
  const isSound = Buffer.compare(kept, encodeFrontier(frontier)) === 0
  db.exec(isSound ? 'COMMIT' : 'ROLLBACK')
  if (!isSound)
    throw new ExpectedFailure(
      `The leaves of the log do not add up to its head: the data is damaged. ${RESTORE_BACKUP}`,
    )
}
