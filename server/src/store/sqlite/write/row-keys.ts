import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { pathBelow } from '../../paths.ts'
import type { Changes } from '../../port/changes.ts'
import { createdIndexes, type KeyedToken, type RowKeys, tenantKey } from '../../rows/row-keys.ts'
import { integer, optionalInteger } from '../../values.ts'
import type { TokenReader } from '../read/tokens.ts'

const REMEMBERED_KEYS = 50_000

/** The integer keys of text ids. A key is inserted on first use; keys in frequent use are cached. */
export interface InternedKeys {
  name(text: string): number
  human(human_ref: string): number
  agent(agent_id: string, now_ms: number): number
  workflow(provenance_ref: string): number
  /** Drops the cache. Call it after a transaction was rolled back. */
  forget(): void
}

export function internedKeys(db: DatabaseSync): InternedKeys {
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

  return {
    name,
    human: interned(
      'SELECT human_key AS key FROM humans WHERE human_ref = ?',
      'INSERT INTO humans (human_ref) VALUES (?)',
    ),
    agent: (agent_id, now_ms) => agent(agent_id, now_ms, tenantKey(agent_id, { name })),
    workflow: interned(
      'SELECT workflow_key AS key FROM workflows WHERE provenance_ref = ?',
      'INSERT INTO workflows (provenance_ref) VALUES (?)',
    ),
    forget() {
      for (const cache of caches) cache.clear()
    },
  }
}

/** The keys for the rows of one batch. */
export type RowKeysFor = (changes: Changes, now_ms: number) => RowKeys

export function rowKeys(
  db: DatabaseSync,
  interned: InternedKeys,
  tokens: TokenReader,
  people: Pick<RowKeys, 'seal' | 'stamp'>,
): RowKeysFor {
  const lastTokenKey = db.prepare('SELECT coalesce(max(token_key), 0) AS last FROM tokens')
  const indexById = db.prepare('SELECT log_index FROM records WHERE aar_id = ?')

  return (changes, now_ms) => {
    const added = new Map<string, KeyedToken>()
    const created = createdIndexes(changes)
    let last_key: number | undefined

    return {
      token(jti) {
        const found = added.get(jti) ?? tokens.find(jti)
        if (found === undefined) throw new Error('a change names a token that is not stored')
        return found
      },
      addToken(token, above) {
        last_key = (last_key ?? integer(lastTokenKey.get()?.last)) + 1
        const path = pathBelow(above?.path, last_key)
        const keyed = { token, token_key: last_key, above_key: above?.token_key, path }
        added.set(token.jti, keyed)
        return keyed
      },
      name: interned.name,
      agent: (agent_id) => interned.agent(agent_id, now_ms),
      human: interned.human,
      workflow: interned.workflow,
      recordIndex: (aar_id) => created(aar_id) ?? optionalInteger(indexById.get(aar_id)?.log_index) ?? null,
      // Rows are ordered by their key, so answers of about the same time share pages, and fewer pages are written.
      replay: ({ key, ordered_key = key }) => ordered_key,
      seal: people.seal,
      stamp: people.stamp,
    }
  }
}
