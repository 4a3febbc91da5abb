import {
  allowsAction,
  type Claims,
  type Constraints,
  canonicalJson,
  type Scope,
  shownAgent,
  tenantOf,
} from '@deputize/protocol'
import { asksVouchScore, livenessReasons } from '../../domain/decision.ts'
import { countSignal } from '../../domain/stats.ts'
import type { InnerLimits } from '../../domain/tokens/inner-limits.ts'
import { loggedConstraints } from '../../domain/tokens/logged-constraints.ts'
import { authorityWidening, type TokenAuthority } from '../../domain/tokens/narrowing.ts'
import {
  agentOfClaims,
  freshState,
  type Link,
  type Token,
  tenantClaim,
  tokenOf,
} from '../../domain/tokens/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import { countLeaf } from './counters.ts'
import {
  type ExpectedToken,
  expectedAgent,
  expectedHuman,
  expectedText,
  expectedWorkflow,
  type LeafStep,
} from './expected.ts'
import { applyIdentity } from './identities.ts'
import { LeafError, readAgentMember, readNumber, readOptionalText, readTextMember } from './leaf-reader.ts'
import { actedForName, requireEndsForOwnAgent } from './own-vouches.ts'

/**
 * What a token's row adds to its leaf: claims whose hash is in the leaf, and opened inner limits whose digest is in it.
 */
export interface BoundTokenRow {
  readonly claims: Claims | undefined
  readonly inner_limits: InnerLimits | undefined
}

/** Issues, delegates or renews a token. */
export function applyToken(step: LeafStep, row: BoundTokenRow | undefined): void {
  const { leaf, log_index, at_ms, replay, effects } = step
  const ref = readTextMember(leaf, 'token')
  const bound = row?.claims
  const innerDigest = readOptionalText(leaf, 'inner_digest')
  const above = aboveIn(step)
  const leafClaims = claimsOfLeaf(leaf, ref, above)
  const token = tokenOf(bound ?? leafClaims, {
    jwt_hash: readTextMember(leaf, 'jwt_hash'),
    issued_at_ms: at_ms,
    log_index,
    inner_limits: row?.inner_limits,
  })
  if ((token.assurance_level === 'L3') !== (innerDigest !== undefined))
    effects.violations.push('must have a digest of inner limits if its level is L3, and only then')
  applyIdentity(step, token, above)
  const agent = expectedAgent(replay, token.agent_id, at_ms)
  const human = expectedHuman(replay, token.human_ref)
  if (human.marks.refused_at_ms !== undefined && leaf.type !== 'token.delegated')
    effects.violations.push('issues a token in the name of a person who refuses tokens')
  if (replay.tokens.has(ref)) effects.violations.push('issues a token that exists already')
  if (agent.marks.suspended_at_ms !== undefined)
    effects.violations.push('issues a token to a suspended agent')
  if (bound !== undefined) effects.violations.push(...contradictions(leafClaims, bound))
  if (above !== undefined) {
    const reasons = livenessReasons(above.chain, at_ms)
    if (reasons.length > 0)
      effects.violations.push(`extends a token that is not in force (${reasons.join(', ')})`)
    effects.violations.push(
      ...(leaf.type === 'token.renewed' ? altered(above.token, token) : widened(above.token, token, leaf)),
    )
  } else if (token.delegation_depth !== 0)
    effects.violations.push('issues a root token with a delegation depth')

  const link: Link = { token, state: freshState(), agent: agent.marks, human: human.marks }
  effects.token = {
    ...link,
    ref,
    token_key: replay.tokens.size + 1,
    above,
    chain: [link, ...(above?.chain ?? [])],
    purpose: expectedText(
      replay,
      token.human_ref,
      'purpose',
      readOptionalText(leaf, 'purpose_digest'),
      log_index,
    ),
    inner_limits:
      innerDigest === undefined
        ? undefined
        : { human_ref: undefined, kind: 'inner_limits', digest: innerDigest, log_index },
    reason: undefined,
    suspend_reason: undefined,
    has_state: false,
  }
  replay.tokens.set(ref, effects.token)
  replay.trust.acted_for.add(actedForName(token.agent_id, token.human_ref))
  requireEndsForOwnAgent(token.agent_id, token.human_ref, replay)
  if (asksVouchScore(effects.token.chain) && !replay.trust.asked_scores.has(token.agent_id))
    replay.trust.asked_scores.set(token.agent_id, log_index)
  expectedWorkflow(replay, token.provenance_ref)
  const { agent_id, delegation_depth: deepest } = token
  if (deepest > 0)
    countLeaf(replay.counters, at_ms, (activity) => countSignal(activity, agent_id, { deepest }))
}

function aboveIn({ leaf, replay, effects }: LeafStep): ExpectedToken | undefined {
  if (leaf.type === 'token.issued') {
    if (leaf.above !== undefined) effects.violations.push('issues a root token below another token')
    return undefined
  }
  const above = replay.tokens.get(readTextMember(leaf, 'above'))
  if (above === undefined) throw new LeafError('extends a token that was never issued')
  return above
}

/** The claims that the leaf contains. Leaves contain no IDs, so references take their place. */
function claimsOfLeaf(leaf: Leaf, ref: string, above: ExpectedToken | undefined): Claims {
  const agent_id = readAgentMember(leaf)
  return {
    iss: '',
    sub: shownAgent(agent_id),
    ...tenantClaim(tenantOf(agent_id)),
    iat: 0,
    nbf: 0,
    exp: readNumber(leaf, 'expires_at_s'),
    jti: ref,
    svc_trust_score: 0,
    svc_scope: scopeIn(leaf),
    svc_assurance_level: levelIn(leaf),
    svc_human_ref: readTextMember(leaf, 'human_ref'),
    svc_provenance_ref: readTextMember(leaf, 'provenance_ref'),
    svc_delegation_depth: readNumber(leaf, 'delegation_depth'),
    svc_root_jti: above?.token.root_jti ?? ref,
    ...(leaf.constraints !== undefined && { svc_constraints: constraintsIn(leaf) }),
    ...(leaf.type === 'token.renewed' && above !== undefined && { svc_renews_jti: above.token.jti }),
  }
}

function scopeIn({ scope }: Leaf): Scope {
  const { resources, actions } = objectOf(scope)
  if (!Array.isArray(resources) || !Array.isArray(actions)) throw new LeafError('has no valid scope')
  return { resources: resources.map(String), actions: actions.map(String) }
}

function levelIn(leaf: Leaf): Claims['svc_assurance_level'] {
  const level = readTextMember(leaf, 'assurance_level')
  if (level === 'L1' || level === 'L2' || level === 'L3') return level
  throw new LeafError('has no valid assurance level')
}

function constraintsIn({ constraints }: Leaf): Constraints {
  return objectOf(constraints)
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new LeafError('lacks a required object')
  return { ...value }
}

/** Members of the leaf that contradict the claims it refers to. */
function contradictions(leafClaims: Claims, claims: Claims): string[] {
  const facts = ({ exp, svc_scope, svc_constraints, ...rest }: Claims) => ({
    agent_id: agentOfClaims(rest),
    expires_at_s: exp,
    scope: svc_scope,
    constraints: loggedConstraints(svc_constraints ?? {}),
    human_ref: rest.svc_human_ref,
    provenance_ref: rest.svc_provenance_ref,
    assurance_level: rest.svc_assurance_level,
    delegation_depth: rest.svc_delegation_depth,
  })
  const signed = new Map<string, unknown>(Object.entries(facts(claims)))
  return Object.entries(facts(leafClaims))
    .filter(([name, value]) => canonicalJson(value) !== canonicalJson(signed.get(name)))
    .map(([name]) => `has another ${name} than its claims`)
}

/** How a delegated token exceeds its parent. */
function widened(parent: Token, child: Token, { salt }: Leaf): string[] {
  const held = authorityOf(parent)
  const given = authorityOf(child)
  // Leaves without a salt are from a version in which a child could add members that start with x_.
  const wider = [
    ...authorityWidening(held, salt === undefined ? withoutAddedExtensions(held, given) : given),
    ...(child.limits.expires_at_ms > parent.limits.expires_at_ms ? ['its end'] : []),
    ...(child.delegation_depth === parent.delegation_depth + 1 ? [] : ['its depth']),
    ...strangers(parent, child),
  ]
  return [
    ...(allowsAction(parent.scope, 'delegate') ? [] : ['delegates a token that does not allow delegation']),
    ...(wider.length === 0 ? [] : [`gives a child more than its parent holds (${wider.join(', ')})`]),
  ]
}

function withoutAddedExtensions(held: TokenAuthority, given: TokenAuthority): TokenAuthority {
  const constraints = Object.entries(given.constraints).filter(
    ([name]) => !name.startsWith('x_') || Object.hasOwn(held.constraints, name),
  )
  return { scope: given.scope, constraints: Object.fromEntries(constraints) }
}

/** The violation if a renewed token doesn't hold the same authority. */
function altered(before: Token, after: Token): string[] {
  const isSame =
    before.agent_id === after.agent_id &&
    before.delegation_depth === after.delegation_depth &&
    strangers(before, after).length === 0 &&
    canonicalJson(authorityOf(before)) === canonicalJson(authorityOf(after))
  return isSame ? [] : ['changes a token while renewing it']
}

function authorityOf({ scope, claims }: Token) {
  return { scope, constraints: claims.svc_constraints ?? {} }
}

/** Members that must be equal along a chain but differ. */
function strangers(above: Token, below: Token): string[] {
  const changed = (['human_ref', 'provenance_ref', 'assurance_level'] as const).filter(
    (name) => above[name] !== below[name],
  )
  return tenantOf(above.agent_id) === tenantOf(below.agent_id) ? changed : [...changed, 'tenant']
}
