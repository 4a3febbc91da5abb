import type { DatabaseSync } from 'node:sqlite'
import { setImmediate } from 'node:timers/promises'
import { afterAll } from '../../paths.ts'
import type { Silenced } from '../../port.ts'
import { bytes, integer } from '../../values.ts'
import { PAGE, rowsOf } from './reading.ts'

/** Finds the status list places of tokens that aren't in force. */
export function silencedReader(db: DatabaseSync): (now_ms: number) => Promise<Silenced> {
  const states = db.prepare(`
    SELECT s.token_key, s.revoked_at_ms IS NOT NULL AS is_revoked, t.path
    FROM token_states s CROSS JOIN tokens t ON t.token_key = s.token_key
    WHERE (s.revoked_at_ms IS NOT NULL OR s.suspended_at_ms IS NOT NULL) AND s.token_key > ?
    ORDER BY s.token_key LIMIT ${PAGE}`)
  const agents = db.prepare(`
    SELECT agent_key, revoked_below, suspended_at_ms IS NOT NULL AS is_suspended FROM agents
    WHERE (revoked_below > 0 OR suspended_at_ms IS NOT NULL) AND agent_key > ? ORDER BY agent_key LIMIT ${PAGE}`)
  const humans = db.prepare(`
    SELECT human_key, revoked_below FROM humans
    WHERE revoked_below > 0 AND human_key > ? ORDER BY human_key LIMIT ${PAGE}`)
  const tokensOfAgent = db.prepare(`
    SELECT token_key, log_index, path FROM tokens
    WHERE agent_key = ? AND token_key > ? ORDER BY token_key LIMIT ${PAGE}`)
  const tokensOfHuman = db.prepare(`
    SELECT token_key, log_index, path FROM tokens
    WHERE human_key = ? AND token_key > ? ORDER BY token_key LIMIT ${PAGE}`)
  const below = db.prepare(`
    SELECT path, status_index FROM tokens
    WHERE path >= ? AND path < ? AND expires_at_ms > ? AND status_index IS NOT NULL ORDER BY path LIMIT ${PAGE}`)
  /** Adds the places of a token and everything below it. */
  async function addSubtree(places: Set<number>, path: Uint8Array, now_ms: number): Promise<void> {
    let from = path
    for (;;) {
      const rows = below.all(from, afterAll(path), now_ms)
      for (const row of rows) places.add(integer(row.status_index))
      const last = rows.at(-1)
      if (last === undefined || rows.length < PAGE) return
      from = Buffer.concat([bytes(last.path), Buffer.of(0)]) // the next value in sort order
      await setImmediate()
    }
  }

  return async (now_ms) => {
    const revoked = new Set<number>()
    const suspended = new Set<number>()
    for await (const { is_revoked, path } of rowsOf(states, 'token_key'))
      await addSubtree(is_revoked === 1 ? revoked : suspended, bytes(path), now_ms)
    for await (const agent of rowsOf(agents, 'agent_key'))
      for await (const token of rowsOf(tokensOfAgent, 'token_key', integer(agent.agent_key))) {
        if (integer(token.log_index) < integer(agent.revoked_below))
          await addSubtree(revoked, bytes(token.path), now_ms)
        else if (agent.is_suspended === 1) await addSubtree(suspended, bytes(token.path), now_ms)
      }
    for await (const human of rowsOf(humans, 'human_key'))
      for await (const token of rowsOf(tokensOfHuman, 'token_key', integer(human.human_key))) {
        if (integer(token.log_index) >= integer(human.revoked_below)) break // keys grow with the log
        await addSubtree(revoked, bytes(token.path), now_ms)
      }
    return { revoked, suspended }
  }
}
