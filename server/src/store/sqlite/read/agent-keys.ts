import type { DatabaseSync } from 'node:sqlite'
import { tenantOf } from '@deputize/protocol'
import type { RegisteredKey } from '../../port.ts'
import {
  HAS_DELEGATED,
  HOLDERS_OF_KEY,
  KEYS_OF_AGENT,
  registeredKeyOf,
  SHARING_AGENTS,
} from '../../rows/agent-keys.ts'
import { text } from '../../values.ts'

/** Reads the keys of agents. */
export function agentKeyReader(db: DatabaseSync) {
  const byKey = db.prepare(HOLDERS_OF_KEY)
  const sharing = db.prepare(SHARING_AGENTS)
  const delegated = db.prepare(HAS_DELEGATED)
  const ofAgent = db.prepare(KEYS_OF_AGENT)

  return {
    holders: (tenant_id: string, jkt: string): RegisteredKey[] =>
      byKey
        .all(jkt)
        .map(registeredKeyOf)
        .filter(({ agent_id }) => tenantOf(agent_id) === tenant_id),
    sharing: (agent_id: string): string[] =>
      sharing
        .all(agent_id)
        .map((row) => text(row.agent_id))
        .filter((other) => tenantOf(other) === tenantOf(agent_id)),
    hasDelegated: (from: string, to: string): boolean => delegated.get(to, from) !== undefined,
    ofAgent: (agent_id: string, limit: number): RegisteredKey[] =>
      ofAgent.all(agent_id, limit).map(registeredKeyOf),
  }
}
