import type { RevocationEntry } from '../../../../protocol/src/api/tokens/token-status.ts'
import type { Claims } from '../generated/operations.ts'
import { sha256Hex } from '../sha256.ts'

export type NotInForce = 'token_revoked' | 'token_suspended'

/** Revocations and suspensions, read from the service entry by entry (`/v1/vat/revocations`). */
export interface RevocationFeed {
  /** Adds a part of the feed. Returns where the next part starts, and whether there is one. */
  add(statement: Readonly<Record<string, unknown>>): { readonly until: number; readonly has_more: boolean }
  status(claims: Claims): NotInForce | undefined
  /** Whether the service withdrew this signing key. */
  isWithdrawn(kid: string): boolean
  /** Whether the feed names the agent and the person of this token. A credential reads only those of its own tenant. */
  covers(claims: Claims): boolean
  /** Forgets entries older than `before_ms`, which the status list covers. */
  forget(before_ms: number): void
}

export function revocationFeed(): RevocationFeed {
  /** The newest suspension or resumption of each token, agent and person. */
  const holds = new Map<string, { readonly kind: RevocationEntry['kind']; readonly at_ms: number }>()
  /** A revocation is final. For agents and people it covers only tokens issued before it. */
  const revoked = new Map<string, number>()
  const withdrawn = new Set<string>()
  /** The tenant of the credential that reads the feed. Undefined if it reads the entries of all tenants. */
  let of_tenant: unknown

  function enter(entry: RevocationEntry): void {
    if (entry.kid !== undefined) withdrawn.add(entry.kid)
    const name = subjectName(entry)
    if (name === undefined) return
    const at_ms = Date.parse(entry.at)
    // Responses can arrive out of order, so the newest entry wins.
    if (entry.kind === 'revoked') revoked.set(name, Math.max(at_ms, revoked.get(name) ?? at_ms))
    else if (at_ms >= (holds.get(name)?.at_ms ?? at_ms)) holds.set(name, { kind: entry.kind, at_ms })
  }

  return {
    add({ entries, until, has_more, tenant_id }) {
      if (!Array.isArray(entries) || typeof until !== 'number')
        throw new Error('The revocation feed has an unexpected format.')
      of_tenant = tenant_id
      for (const entry of entries) enter(entry as RevocationEntry) // signed by the service
      return { until, has_more: has_more === true }
    },
    status(claims) {
      const { tokens, holders } = feedNames(claims)
      const isOlder = (name: string) => (revoked.get(name) ?? -1) >= claims.iat * 1000
      if (tokens.some((name) => revoked.has(name)) || holders.some(isOlder)) return 'token_revoked'
      const isHeld = [...tokens, ...holders].some((name) => holds.get(name)?.kind === 'suspended')
      return isHeld ? 'token_suspended' : undefined
    },
    isWithdrawn: (kid) => withdrawn.has(kid),
    covers: ({ svc_tenant = 'default' }) => of_tenant === undefined || of_tenant === svc_tenant,
    forget(before_ms) {
      for (const [name, at_ms] of revoked) if (at_ms < before_ms) revoked.delete(name)
      for (const [name, { at_ms }] of holds) if (at_ms < before_ms) holds.delete(name)
    },
  }
}

/** Whether the feed alone can name every token in the chain of this one. */
export function hasNamedChain({ svc_delegation_depth, svc_renews_jti }: Claims): boolean {
  return svc_delegation_depth === 0 && svc_renews_jti === undefined
}

function subjectName({ token, agent_id, tenant_id, human_ref }: RevocationEntry): string | undefined {
  if (token !== undefined) return token
  if (agent_id !== undefined) return tenantAgentName(agent_id, tenant_id)
  return human_ref === undefined ? undefined : `human ${human_ref}`
}

/** Includes the tenant, because two tenants may use the same agent ID for different agents. */
function tenantAgentName(agent_id: string, tenant_id: string | undefined): string {
  return `agent ${tenant_id ?? ''} ${agent_id}`
}

interface FeedNames {
  readonly tokens: readonly string[]
  readonly holders: readonly string[]
}

// The verifier returns the same claims object each time it verifies the same token.
const NAMES = new WeakMap<Claims, FeedNames>()

function feedNames(claims: Claims): FeedNames {
  const known = NAMES.get(claims)
  if (known !== undefined) return known
  const names = newFeedNames(claims)
  NAMES.set(claims, names)
  return names
}

/** Returns the names under which the feed can list a token. Claims omit ancestors between the root and the parent. */
function newFeedNames(claims: Claims): FeedNames {
  const { jti, sub, svc_root_jti, svc_parent_jti, svc_renews_jti, svc_tenant, svc_human_ref } = claims
  const ids = [jti, svc_root_jti, svc_parent_jti, svc_renews_jti].filter((id) => id !== undefined)
  return {
    tokens: ids.map((id) => `sha256:${sha256Hex(id)}`),
    holders: [tenantAgentName(sub, svc_tenant), `human ${svc_human_ref}`],
  }
}
