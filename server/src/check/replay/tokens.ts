import {
  allowsAction,
  type Claims,
  type Constraints,
  canonicalJson,
  type Scope,
  shownAgent,
  tenantOf,
} from '@deputize/protocol'
import { livenessReasons } from '../../domain/decision.ts'
import { widening } from '../../domain/narrowing.ts'
import { agentOfClaims, freshState, type Link, type Token, tenantClaim, tokenOf } from '../../domain/token.ts'
import type { Leaf } from '../../log/leaf.ts'
import {
  agentOf,
  humanOf,
  type Place,
  type Story,
  type Telling,
  type ToldToken,
  wordsOf,
  workflowOf,
} from './expected.ts'
import { agentIn, LeafError, numberIn, optionalTextIn, textIn } from './leaf-reader.ts'

/** Claims whose hash stands in the leaf of their token. */
export type BoundClaims = Claims

/** A token is issued, or passed on below another one. */
export function tellToken(
  leaf: Leaf,
  { log_index, at_ms }: Place,
  story: Story,
  telling: Telling,
  bound: BoundClaims | undefined,
): void {
  const ref = textIn(leaf, 'token')
  const above = aboveIn(leaf, story, telling)
  const told = toldClaims(leaf, ref, above)
  const token = tokenOf(bound ?? told, { jwt_hash: textIn(leaf, 'jwt_hash'), issued_at_ms: at_ms, log_index })
  const agent = agentOf(story, token.agent_id, at_ms)
  const human = humanOf(story, token.human_ref)
  if (story.tokens.has(ref)) telling.wrong.push('issues a token that was issued before')
  if (agent.marks.suspended_at_ms !== undefined)
    telling.wrong.push('gives authority to an agent that is suspended')
  if (bound !== undefined) telling.wrong.push(...contradictions(told, bound))
  if (above !== undefined) {
    const reasons = livenessReasons(above.chain, at_ms)
    if (reasons.length > 0)
      telling.wrong.push(`passes on a token that is not in force (${reasons.join(', ')})`)
    telling.wrong.push(...(leaf.type === 'token.renewed' ? altered : widened)(above.token, token))
  } else if (token.delegation_depth !== 0) telling.wrong.push('issues a root token with a depth')

  const link: Link = { token, state: freshState(), agent: agent.marks, human: human.marks }
  telling.token = {
    ...link,
    ref,
    token_key: story.tokens.size + 1,
    above,
    chain: [link, ...(above?.chain ?? [])],
    purpose: wordsOf(story, token.human_ref, 'purpose', optionalTextIn(leaf, 'purpose_digest'), log_index),
    reason: undefined,
    has_state: false,
  }
  story.tokens.set(ref, telling.token)
  workflowOf(story, token.provenance_ref)
}

function aboveIn(leaf: Leaf, story: Story, telling: Telling): ToldToken | undefined {
  if (leaf.type === 'token.issued') {
    if (leaf.above !== undefined) telling.wrong.push('issues a root token below another one')
    return undefined
  }
  const above = story.tokens.get(textIn(leaf, 'above'))
  if (above === undefined) throw new LeafError('passes on a token that was never issued')
  return above
}

/** What the leaf itself says. Ids are not told, so the references that leaves use stand for them. */
function toldClaims(leaf: Leaf, ref: string, above: ToldToken | undefined): Claims {
  const agent_id = agentIn(leaf)
  return {
    iss: '',
    sub: shownAgent(agent_id),
    ...tenantClaim(tenantOf(agent_id)),
    iat: 0,
    nbf: 0,
    exp: numberIn(leaf, 'expires_at_s'),
    jti: ref,
    svc_trust_score: 0,
    svc_scope: scopeIn(leaf),
    svc_assurance_level: levelIn(leaf),
    svc_human_ref: textIn(leaf, 'human_ref'),
    svc_provenance_ref: textIn(leaf, 'provenance_ref'),
    svc_delegation_depth: numberIn(leaf, 'delegation_depth'),
    svc_root_jti: above?.token.root_jti ?? ref,
    ...(leaf.constraints !== undefined && { svc_constraints: constraintsIn(leaf) }),
    ...(leaf.type === 'token.renewed' && above !== undefined && { svc_renews_jti: above.token.jti }),
  }
}

function scopeIn({ scope }: Leaf): Scope {
  const { resources, actions } = objectOf(scope)
  if (!Array.isArray(resources) || !Array.isArray(actions)) throw new LeafError('has no scope')
  return { resources: resources.map(String), actions: actions.map(String) }
}

function levelIn(leaf: Leaf): Claims['svc_assurance_level'] {
  const level = textIn(leaf, 'assurance_level')
  if (level === 'L1' || level === 'L2' || level === 'L3') return level
  throw new LeafError('has no assurance level')
}

function constraintsIn({ constraints }: Leaf): Constraints {
  return objectOf(constraints)
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new LeafError('has no object where one must be')
  return { ...value }
}

/** Members that a leaf tells otherwise than the claims that it names. */
function contradictions(told: Claims, claims: Claims): string[] {
  const facts = ({ exp, svc_scope, svc_constraints, ...rest }: Claims) => ({
    agent_id: agentOfClaims(rest),
    expires_at_s: exp,
    scope: svc_scope,
    constraints: Object.fromEntries(
      Object.entries(svc_constraints ?? {}).filter(([name]) => !name.startsWith('x_')),
    ),
    human_ref: rest.svc_human_ref,
    provenance_ref: rest.svc_provenance_ref,
    assurance_level: rest.svc_assurance_level,
    delegation_depth: rest.svc_delegation_depth,
  })
  const signed = new Map<string, unknown>(Object.entries(facts(claims)))
  return Object.entries(facts(told))
    .filter(([name, value]) => canonicalJson(value) !== canonicalJson(signed.get(name)))
    .map(([name]) => `tells another ${name} than the claims that it names`)
}

/** What a delegated token holds beyond the one above it. */
function widened(parent: Token, child: Token): string[] {
  const wider = [
    ...widening(askedOf(parent), askedOf(child)),
    ...(child.limits.expires_at_ms > parent.limits.expires_at_ms ? ['its end'] : []),
    ...(child.delegation_depth === parent.delegation_depth + 1 ? [] : ['its depth']),
    ...strangers(parent, child),
  ]
  return [
    ...(allowsAction(parent.scope, 'delegate') ? [] : ['passes on a token that may not be passed on']),
    ...(wider.length === 0 ? [] : [`gives a token more than the one above it has (${wider.join(', ')})`]),
  ]
}

/** A renewed token is the same authority for longer. */
function altered(before: Token, after: Token): string[] {
  const isSame =
    before.agent_id === after.agent_id &&
    before.delegation_depth === after.delegation_depth &&
    strangers(before, after).length === 0 &&
    canonicalJson(askedOf(before)) === canonicalJson(askedOf(after))
  return isSame ? [] : ['renews a token as another one than it was']
}

function askedOf({ scope, claims }: Token) {
  return { scope, constraints: claims.svc_constraints ?? {} }
}

/** Whose and what for never changes along a chain. */
function strangers(above: Token, below: Token): string[] {
  const changed = (['human_ref', 'provenance_ref', 'assurance_level'] as const).filter(
    (name) => above[name] !== below[name],
  )
  return tenantOf(above.agent_id) === tenantOf(below.agent_id) ? changed : [...changed, 'tenant']
}
