import type { RevocationEntry } from '../../../protocol/src/api/tokens/token-status.ts'
import { decodeBase64url } from '../../../protocol/src/encoding/base64url.ts'
import type { Claims } from './generated/operations.ts'
import { sha256Hex } from './sha256.ts'

export type NotInForce = 'token_revoked' | 'token_suspended'

/** What was revoked, told by the service entry by entry (`/v1/vat/revocations`). */
export interface Feed {
  /** Takes a part of the feed in. Answers where to go on, and whether there is more. */
  take(statement: Readonly<Record<string, unknown>>): { readonly until: number; readonly has_more: boolean }
  standing(claims: Claims): NotInForce | undefined
  /** Forgets what was said before, because something else tells it. */
  forget(before_ms: number): void
}

export function revocationFeed(): Feed {
  /** The newest word on each token, agent and person, and when it was said. */
  const words = new Map<string, { readonly kind: RevocationEntry['kind']; readonly at_ms: number }>()
  /** A revocation is final, and for agents and people reaches only what was issued before. */
  const revoked = new Map<string, number>()

  function enter(entry: RevocationEntry): void {
    const name = nameOf(entry)
    if (name === undefined) return
    const at_ms = Date.parse(entry.at)
    // Answers may come in another order than that in which they were asked for.
    if (entry.kind === 'revoked') revoked.set(name, Math.max(at_ms, revoked.get(name) ?? at_ms))
    else if (at_ms >= (words.get(name)?.at_ms ?? at_ms)) words.set(name, { kind: entry.kind, at_ms })
  }

  return {
    take({ entries, until, has_more }) {
      if (!Array.isArray(entries) || typeof until !== 'number') throw new Error('The feed has another form.')
      for (const entry of entries) enter(entry as RevocationEntry) // signed by the service
      return { until, has_more: has_more === true }
    },
    standing(claims) {
      const { tokens, holders } = namesOf(claims)
      const isOlder = (name: string) => (revoked.get(name) ?? -1) >= claims.iat * 1000
      if (tokens.some((name) => revoked.has(name)) || holders.some(isOlder)) return 'token_revoked'
      const isHeld = [...tokens, ...holders].some((name) => words.get(name)?.kind === 'suspended')
      return isHeld ? 'token_suspended' : undefined
    },
    forget(before_ms) {
      for (const [name, at_ms] of revoked) if (at_ms < before_ms) revoked.delete(name)
      for (const [name, { at_ms }] of words) if (at_ms < before_ms) words.delete(name)
    },
  }
}

function nameOf({ token, agent_id, tenant_id, human_ref }: RevocationEntry): string | undefined {
  if (token !== undefined) return token
  if (agent_id !== undefined) return agentName(agent_id, tenant_id)
  return human_ref === undefined ? undefined : `human ${human_ref}`
}

/** Equal names of two tenants are two agents. */
function agentName(agent_id: string, tenant_id: string | undefined): string {
  return `agent ${tenant_id ?? ''} ${agent_id}`
}

interface Names {
  readonly tokens: readonly string[]
  readonly holders: readonly string[]
}

// A token that is verified again has the same claims, and the same names.
const NAMES = new WeakMap<Claims, Names>()

function namesOf(claims: Claims): Names {
  const known = NAMES.get(claims)
  if (known !== undefined) return known
  const names = newNames(claims)
  NAMES.set(claims, names)
  return names
}

/** Under which names the feed may tell of a token. Ancestors between root and parent are named by no token. */
function newNames(claims: Claims): Names {
  const { jti, sub, svc_root_jti, svc_parent_jti, svc_renews_jti, svc_tenant, svc_human_ref } = claims
  const ids = [jti, svc_root_jti, svc_parent_jti, svc_renews_jti].filter((id) => id !== undefined)
  return {
    tokens: ids.map(tokenName),
    holders: [agentName(sub, svc_tenant), `human ${svc_human_ref}`],
  }
}

function tokenName(jti: string): string {
  return `sha256:${sha256Hex(jti)}`
}

/** Whether the feed alone tells all: of a token whose chain it can name. */
export function isNamedWhole({ svc_delegation_depth, svc_renews_jti }: Claims): boolean {
  return svc_delegation_depth === 0 && svc_renews_jti === undefined
}

/** Two bits for each token (`/v1/vat/status-list`), which know of every ancestor. */
export interface StatusList {
  readonly as_of_ms: number
  /** Unknown: the token is newer than the list. */
  standing(place: number): NotInForce | 'in_force' | 'unknown'
}

export async function statusList(statement: Readonly<Record<string, unknown>>): Promise<StatusList> {
  const { iat, status_list } = statement
  const { bits, lst } = (status_list ?? {}) as { readonly bits?: unknown; readonly lst?: unknown } // checked below
  if (typeof iat !== 'number' || bits !== 2 || typeof lst !== 'string')
    throw new Error('The status list has another form.')
  const bytes = await inflated(decodeBase64url(lst))
  return {
    as_of_ms: iat * 1000,
    standing(place) {
      const byte = bytes[place >> 2]
      if (byte === undefined) return 'unknown'
      const status = (byte >> ((place % 4) * 2)) & 3
      if (status === 0) return 'in_force'
      return status === 2 ? 'token_suspended' : 'token_revoked'
    },
  }
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
