import { AuthorityError, isTenantId, type Lane, scopedAgent, withoutAgentPrefix } from '@deputize/protocol'
import type { CommandResult } from '../clerk/clerk.ts'
import type { Command, RevokeCommand } from '../clerk/command.ts'
import { isRevoked } from '../domain/decision.ts'
import type { ReadStore } from '../store/port.ts'

/** What an operator wants stopped, at the data directory or the database. */
export interface StopOrder {
  readonly target:
    | { readonly token: string }
    | { readonly agent: string; readonly tenant_id: string }
    | { readonly human: string }
    | { readonly tenant: string }
  readonly reason: string | undefined
}

export interface StopReport {
  /** How many tokens the order revoked. */
  readonly revoked_count: number
  readonly already_stopped: boolean
}

export interface StopOptions {
  readonly reader: Pick<ReadStore, 'tokens'>
  readonly submit: (command: Command, lane: Lane) => Promise<CommandResult>
}

/** The reason is stored like any other revocation reason, so it has the same limit. */
const MOST_REASON = 500
const PAGE = 200

/** Carries out an order as the service would, with the rank of an operator. Refuses a target that doesn't exist. */
export async function carryOutStop(
  { target, reason }: StopOrder,
  { reader, submit }: StopOptions,
): Promise<StopReport> {
  const stop = async (command: Command) => (await submit(command, 'stop')).outcome as RevocationOutcome // the type of its judge
  if ('token' in target) return reportOf(await stop({ kind: 'revoke', vat_jti: target.token, reason }))
  if ('human' in target)
    return reportOf(await stop({ kind: 'revoke_all', owner: { human_ref: target.human }, reason }))
  if ('tenant' in target) return revokeTenant(target.tenant, reason, reader, stop)
  const agent_id = scopedAgent(target.tenant_id, withoutAgentPrefix(target.agent))
  const report = reportOf(await stop({ kind: 'revoke_all', owner: { agent_id }, reason }))
  // A crash before this line leaves the tokens revoked, and an agent that can still get new ones.
  await stop({ kind: 'suspend', target: { agent_id }, rank: 'operator', reason })
  return report
}

interface RevocationOutcome {
  readonly revoked_count: number
  readonly already_revoked?: boolean
}

function reportOf({ revoked_count, already_revoked = false }: RevocationOutcome): StopReport {
  return { revoked_count, already_stopped: already_revoked }
}

/** Revokes every root token of a tenant, and so every token. A crash in between leaves some; the order can be repeated. */
async function revokeTenant(
  tenant_id: string,
  reason: string | undefined,
  reader: StopOptions['reader'],
  stop: (command: Command) => Promise<unknown>,
): Promise<StopReport> {
  const all = {
    agent_id: undefined,
    human_ref: undefined,
    provenance_ref: undefined,
    assurance_level: undefined,
  }
  let revoked_count = 0
  let before: number | undefined
  do {
    const page = await reader.tokens({ tenant_id, ...all }, { limit: PAGE, before })
    const unrevoked = page.entries.filter((chain) => !chain.some(isRevoked))
    revoked_count += unrevoked.length
    const items = unrevoked
      .filter(([{ token }]) => token.parent_jti === undefined)
      .map(([{ token }]): RevokeCommand => ({ kind: 'revoke', vat_jti: token.jti, reason }))
    if (items.length > 0) await stop({ kind: 'many', items })
    before = page.before
  } while (before !== undefined)
  return { revoked_count, already_stopped: revoked_count === 0 }
}

/** Reads an order that another process wrote. Throws an `AuthorityError` that says what is wrong. */
export function readStopOrder(text: string): StopOrder {
  const order = parsed(text)
  if (!isObject(order) || !isObject(order.target)) throw malformed('it has no target')
  const { target, reason } = order
  if (reason !== undefined && (typeof reason !== 'string' || reason === '' || reason.length > MOST_REASON))
    throw malformed(`reason must be 1 to ${MOST_REASON} characters`)
  const { token, agent, tenant_id, human, tenant } = target
  if (typeof token === 'string') return { target: { token }, reason }
  if (typeof human === 'string') return { target: { human }, reason }
  if (typeof tenant === 'string' && isTenantId(tenant)) return { target: { tenant }, reason }
  if (typeof agent === 'string' && typeof tenant_id === 'string' && isTenantId(tenant_id))
    return { target: { agent, tenant_id }, reason }
  throw malformed('its target is not a token, an agent with its tenant, a person or a tenant')
}

/** Parses an order. One that isn't JSON is refused, because a retry can't help. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed('it is not JSON')
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function malformed(what: string): AuthorityError {
  return new AuthorityError('invalid_request', `The order to stop cannot be carried out: ${what}.`)
}
