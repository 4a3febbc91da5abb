import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { lowestIndexes, type Places } from '../../lowest-indexes.ts'
import type { StoredLeaf } from '../../port/log-reader.ts'
import { integer, optionalInteger, text } from '../../values.ts'
import { PAGE, rowsOf } from './reading.ts'

/** The most places in the log that are held in memory at a time. */
const MOST_PLACES = 250_000

/**
 * Finds every leaf of a workflow through the tables that refer to it, without scanning the log. A completion, rating or
 * decision may come long after the entry it is about, so places are collected before they are read: first the lowest
 * ones that fit, then the next, until all have been read.
 */
export function workflowLeaves(db: DatabaseSync, most_places: number = MOST_PLACES) {
  const keyOf = db.prepare('SELECT workflow_key FROM workflows WHERE provenance_ref = ?')
  const tokens = db.prepare(`
    SELECT token_key, log_index FROM tokens WHERE workflow_key = ? AND token_key > ? ORDER BY token_key LIMIT ${PAGE}`)
  const lone = db.prepare(`
    SELECT log_index FROM workflow_leaves WHERE workflow_key = ? AND log_index > ? ORDER BY log_index LIMIT ${PAGE}`)
  /** For each thing that a token did or asked for: its leaf, and the leaves that record its outcome. */
  const deeds = [
    db.prepare(`
      SELECT r.log_index, r.completed_index AS second, g.log_index AS third
      FROM records r LEFT JOIN ratings g ON g.record_index = r.log_index
      WHERE r.token_key = ? AND r.log_index > ? ORDER BY r.log_index LIMIT ${PAGE}`),
    db.prepare(`
      SELECT log_index, NULL AS second, NULL AS third FROM denials
      WHERE token_key = ? AND log_index > ? ORDER BY log_index LIMIT ${PAGE}`),
    db.prepare(`
      SELECT log_index, decided_index AS second, NULL AS third FROM approvals
      WHERE token_key = ? AND log_index > ? ORDER BY log_index LIMIT ${PAGE}`),
  ]
  const leafAt = db.prepare('SELECT leaf FROM leaves WHERE log_index = ?')

  /** Collects the lowest places in `[from, end)`, ascending. Leaves about an entry never precede it in the log. */
  async function collect(workflow_key: number, from: number, end: number): Promise<Places> {
    const places = lowestIndexes(from, end, most_places)
    for await (const row of rowsOf(lone, 'log_index', workflow_key))
      if (!places.takes(integer(row.log_index))) break
    for await (const token of rowsOf(tokens, 'token_key', workflow_key)) {
      if (!places.takes(integer(token.log_index))) break
      for (const query of deeds)
        for await (const row of rowsOf(query, 'log_index', integer(token.token_key))) {
          if (!places.takes(integer(row.log_index))) break
          for (const place of [row.second, row.third]) places.takes(optionalInteger(place) ?? end)
        }
    }
    return places.taken()
  }

  return async function* leavesOf(provenance_ref: string, end: number): AsyncGenerator<StoredLeaf> {
    const workflow_key = optionalInteger(keyOf.get(provenance_ref)?.workflow_key)
    if (workflow_key === undefined) return
    let from: number | undefined = 0
    while (from !== undefined) {
      const places: Places = await collect(workflow_key, from, end)
      for (const [read, log_index] of places.sorted.entries()) {
        if (read % PAGE === 0) await setImmediate()
        yield { log_index, text: text(leafAt.get(log_index)?.leaf) }
      }
      from = places.next
    }
  }
}

/** Finds the token that a leaf without its own row is about. */
export function leafTokens(
  db: DatabaseSync,
): (provenance_ref: string, log_index: number) => string | undefined {
  const tokenOf = db.prepare(`
    SELECT t.jti FROM workflows w JOIN workflow_leaves l ON l.workflow_key = w.workflow_key
    JOIN tokens t ON t.token_key = l.token_key WHERE w.provenance_ref = ? AND l.log_index = ?`)
  return (provenance_ref, log_index) => {
    const row = tokenOf.get(provenance_ref, log_index)
    return row && text(row.jti)
  }
}
