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
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'

export async function keyHolders(
  database: Database,
  tenant_id: string,
  jkt: string,
): Promise<RegisteredKey[]> {
  const rows = await rowsOf(database, HOLDERS_OF_KEY, jkt)
  return rows.map(registeredKeyOf).filter(({ agent_id }) => tenantOf(agent_id) === tenant_id)
}

export async function sharingAgents(database: Database, agent_id: string): Promise<string[]> {
  const rows = await rowsOf(database, SHARING_AGENTS, agent_id)
  return rows.map((row) => text(row.agent_id)).filter((other) => tenantOf(other) === tenantOf(agent_id))
}

export async function hasDelegated(database: Database, from: string, to: string): Promise<boolean> {
  return (await rowsOf(database, HAS_DELEGATED, to, from)).length > 0
}

export async function keysOfAgent(
  database: Database,
  agent_id: string,
  limit: number,
): Promise<RegisteredKey[]> {
  return (await rowsOf(database, KEYS_OF_AGENT, agent_id, limit)).map(registeredKeyOf)
}
