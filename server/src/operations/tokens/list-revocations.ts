import {
  DEFAULT_TENANT,
  invalidField,
  REVOCATIONS_TYP,
  type RevocationEntry,
  shownAgent,
  tenantOf,
} from '@deputize/protocol'
import { seesEveryTenant } from '../lists/list-visibility.ts'
import type { Handler, OperationContext } from '../operation-context.ts'
import { signedStatement } from '../signed-statement.ts'

const PAGE_SIZE = 1_000

export const listRevocations: Handler<'listRevocations'> = async ({ query, caller }, context) => {
  const since = query.since ?? 0
  const { log_size, leaves } = await context.reader.standingChanges(since, PAGE_SIZE + 1)
  // A caller that has seen more entries than the log holds has proof that the log was truncated.
  if (since > log_size)
    throw invalidField('?since', `is beyond the end of the log, which has ${log_size} entries`)
  const page = leaves.slice(0, PAGE_SIZE)
  const has_more = leaves.length > PAGE_SIZE
  const until = has_more ? (page.at(-1)?.log_index ?? since) + 1 : log_size
  const part = seesEveryTenant(caller)
    ? { since, until, has_more, entries: page.map(revocationEntry) }
    : { since, until, has_more, ...(await entriesFor(caller.tenant_id, page, context)) }
  return { jwt: await signedStatement(REVOCATIONS_TYP, 'statements', part, context) }
}

interface StandingLeaf {
  readonly log_index: number
  readonly text: string
}

/**
 * Leaves out agents and people of other tenants. The statement names the tenant, so that a verifier uses the status
 * list for tokens of other tenants. A person whose tenant can't be found has no token that a verifier could see.
 */
async function entriesFor(
  tenant_id: string,
  leaves: readonly StandingLeaf[],
  { events: { feed } }: Pick<OperationContext, 'events'>,
): Promise<{ tenant_id: string; entries: RevocationEntry[] }> {
  const all = leaves.map(revocationEntry)
  const people = all.flatMap(({ human_ref, log_index }) =>
    human_ref === undefined ? [] : [{ human_ref, log_index }],
  )
  const tenants = await feed.tenantsOfPeople(people)
  const isTheirs = ({ agent_id, human_ref, ...entry }: RevocationEntry) => {
    if (agent_id !== undefined) return (entry.tenant_id ?? DEFAULT_TENANT) === tenant_id
    return human_ref === undefined || tenants.get(human_ref) === tenant_id
  }
  return { tenant_id, entries: all.filter(isTheirs) }
}

function revocationEntry({ log_index, text }: StandingLeaf): RevocationEntry {
  const leaf: Record<string, string> = JSON.parse(text) // a leaf of this service: every member but v is a string
  const { type = '', at = '', token, agent_id, human_ref, kid, from } = leaf
  const [subject, kind] = type.split('.') as [string, RevocationEntry['kind']] // the store returns only leaves of these types
  // A mark on an agent or a person revokes every token issued before the mark's own leaf.
  const below = kind === 'revoked' && subject !== 'token' ? { below: log_index } : {}
  if (kid !== undefined && from !== undefined) return { log_index, at, kind, kid, from }
  if (token !== undefined) return { log_index, at, kind, token }
  return {
    log_index,
    at,
    kind,
    ...(agent_id !== undefined && agentMembers(agent_id.slice('agent:'.length))),
    ...(human_ref !== undefined && { human_ref }),
    ...below,
  }
}

/** Returns the members that name an agent. Agents of different tenants can share a name, so the tenant is included. */
function agentMembers(scoped: string): Pick<RevocationEntry, 'agent_id' | 'tenant_id'> {
  const tenant_id = tenantOf(scoped)
  return { agent_id: shownAgent(scoped), ...(tenant_id !== DEFAULT_TENANT && { tenant_id }) }
}
