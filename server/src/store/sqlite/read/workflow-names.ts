import type { DatabaseSync } from 'node:sqlite'
import { seenKeys } from '../../seen-keys.ts'
import { integer, optionalInteger, text } from '../../values.ts'
import type { NameReader } from './names.ts'
import { PAGE, rowsOf } from './reading.ts'

/** Reads the agents and resources of a workflow, each once. Keeps one bit for each in memory. */
export interface WorkflowNames {
  agents(provenance_ref: string, end: number): AsyncGenerator<string>
  resources(provenance_ref: string, end: number): AsyncGenerator<string>
}

export function workflowNames(db: DatabaseSync, names: NameReader): WorkflowNames {
  const keyOf = db.prepare('SELECT workflow_key FROM workflows WHERE provenance_ref = ?')
  const tokens = db.prepare(`
    SELECT token_key, agent_key, log_index FROM tokens
    WHERE workflow_key = ? AND token_key > ? ORDER BY token_key LIMIT ${PAGE}`)
  const records = db.prepare(`
    SELECT log_index, resource_key FROM records
    WHERE token_key = ? AND log_index > ? ORDER BY log_index LIMIT ${PAGE}`)
  const agentOf = db.prepare('SELECT agent_id FROM agents WHERE agent_key = ?')

  async function* tokensOf(provenance_ref: string, end: number) {
    const workflow_key = optionalInteger(keyOf.get(provenance_ref)?.workflow_key)
    if (workflow_key === undefined) return
    for await (const row of rowsOf(tokens, 'token_key', workflow_key)) {
      if (integer(row.log_index) >= end) return
      yield row
    }
  }

  return {
    async *agents(provenance_ref, end) {
      const seen = seenKeys()
      for await (const { agent_key } of tokensOf(provenance_ref, end))
        if (seen.isFirst(integer(agent_key))) yield text(agentOf.get(integer(agent_key))?.agent_id)
    },
    async *resources(provenance_ref, end) {
      const seen = seenKeys()
      for await (const { token_key } of tokensOf(provenance_ref, end))
        for await (const row of rowsOf(records, 'log_index', integer(token_key))) {
          if (integer(row.log_index) >= end) break
          if (seen.isFirst(integer(row.resource_key))) yield names(integer(row.resource_key))
        }
    },
  }
}
