import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { tenantKey } from '../rows/written.ts'
import { integer } from '../values.ts'

const REMEMBERED_KEYS = 50_000

/** Text ids to integer keys, made on first use and remembered for those in frequent use. */
export interface Keyring {
  name(text: string): number
  human(human_ref: string): number
  agent(agent_id: string, now_ms: number): number
  /** The key of the tenant that an agent belongs to. */
  tenant(agent_id: string): number
  workflow(provenance_ref: string): number
  /** Forgets everything, after a transaction that came to nothing. */
  forget(): void
}

export function keyring(db: DatabaseSync): Keyring {
  const caches: Map<string, number>[] = []

  function interned(find: string, insert: string): (text: string, ...more: SQLInputValue[]) => number {
    const found = db.prepare(find)
    const inserted = db.prepare(insert)
    const cache = new Map<string, number>()
    caches.push(cache)
    return (text, ...more) => {
      const known = cache.get(text)
      if (known !== undefined) return known
      if (cache.size >= REMEMBERED_KEYS) cache.clear()
      const row = found.get(text)
      const key = row === undefined ? Number(inserted.run(text, ...more).lastInsertRowid) : integer(row.key)
      cache.set(text, key)
      return key
    }
  }

  const name = interned(
    'SELECT name_key AS key FROM names WHERE name = ?',
    'INSERT INTO names (name) VALUES (?)',
  )
  const agent = interned(
    'SELECT agent_key AS key FROM agents WHERE agent_id = ?',
    'INSERT INTO agents (agent_id, first_seen_ms, tenant_key) VALUES (?, ?, ?)',
  )
  const tenant = (agent_id: string) => tenantKey(agent_id, name)

  return {
    name,
    human: interned(
      'SELECT human_key AS key FROM humans WHERE human_ref = ?',
      'INSERT INTO humans (human_ref) VALUES (?)',
    ),
    agent: (agent_id, now_ms) => agent(agent_id, now_ms, tenant(agent_id)),
    tenant,
    workflow: interned(
      'SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?',
      'INSERT INTO workflows (provenance_ref) VALUES (?)',
    ),
    forget() {
      for (const cache of caches) cache.clear()
    },
  }
}
