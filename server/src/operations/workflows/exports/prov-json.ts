import { hash } from 'node:crypto'
import { shownAgent, tokenRef } from '@deputize/protocol'
import type { StoredRecord } from '../../../domain/record.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import type { Chain, Token } from '../../../domain/tokens/token.ts'
import { publicRecord } from './public-record.ts'
import type { Snapshot } from './snapshot.ts'

/** Deputy's own terms. Names that belong to this deployment use the prefix `here`. */
const TERMS = 'urn:deputy:terms#'

type Value = string | number | boolean | QualifiedName | readonly (string | QualifiedName)[]
type ProvStatement = readonly [id: string, members: Readonly<Record<string, Value>>]

interface QualifiedName {
  readonly $: string
  readonly type: 'prov:QUALIFIED_NAME'
}

/**
 * Yields PROV-JSON (a W3C member submission), with one pass over the workflow per kind of statement. Agents act on
 * behalf of the agent or person one link up the token chain; an action is an activity whose plan is its token.
 */
export async function* provJson(snapshot: Snapshot, issuer: string): AsyncGenerator<string> {
  yield `{"prefix":${JSON.stringify({ deputy: TERMS, here: `${issuer}#` })}`
  yield* provSection('agent', agentStatements(snapshot))
  yield* provSection('activity', statementsOf(snapshot.records(), activity))
  yield* provSection('entity', entityStatements(snapshot))
  yield* provSection('wasAssociatedWith', statementsOf(snapshot.records(), association))
  yield* provSection('actedOnBehalfOf', statementsOf(snapshot.tokens(), delegation))
  yield* provSection('wasDerivedFrom', statementsOf(snapshot.tokens(), derivation))
  yield* provSection('used', statementsOf(snapshot.records(), usage))
  yield* provSection('wasGeneratedBy', statementsOf(snapshot.records(), generation))
  yield* provSection('wasInformedBy', statementsOf(snapshot.records(), communication))
  yield* provSection('wasInfluencedBy', influenceStatements(snapshot))
  yield '}\n'
}

async function* provSection(name: string, statements: AsyncIterable<ProvStatement>): AsyncGenerator<string> {
  yield `,"${name}":{`
  let comma = ''
  for await (const [id, members] of statements) {
    yield `${comma}${JSON.stringify(id)}:${JSON.stringify(members)}`
    comma = ','
  }
  yield '}'
}

async function* statementsOf<T>(
  list: AsyncIterable<T>,
  statementOf: (one: T) => ProvStatement | undefined,
): AsyncGenerator<ProvStatement> {
  for await (const one of list) {
    const statement = statementOf(one)
    if (statement !== undefined) yield statement
  }
}

/** Returns a hashed name, valid for any text that a caller chose. The text itself goes into an attribute. */
function hashedName(kind: 'human' | 'agent' | 'resource', text: string): string {
  return `here:${kind}-${hash('sha256', text)}`
}

const actionActivity = (aar_id: string) => `here:action-${aar_id}`
const resultEntity = (aar_id: string) => `here:result-${aar_id}`
const tokenEntity = (jti: string) => `here:token-${tokenRef(jti).slice('sha256:'.length)}`
const qualifiedName = (name: string): QualifiedName => ({ $: name, type: 'prov:QUALIFIED_NAME' })

async function* agentStatements({ facts, agents, vouches }: Snapshot): AsyncGenerator<ProvStatement> {
  const { human_ref, assurance_level } = facts
  yield [
    hashedName('human', human_ref),
    {
      'prov:type': qualifiedName('prov:Person'),
      'deputy:human_ref': human_ref,
      'deputy:assurance_level': assurance_level,
    },
  ]
  for await (const agent_id of agents())
    yield [
      hashedName('agent', agent_id),
      { 'prov:type': qualifiedName('prov:SoftwareAgent'), 'deputy:agent_id': shownAgent(agent_id) },
    ]
  const stated = new Set([human_ref])
  for await (const { from } of vouches()) {
    if (stated.has(from)) continue
    stated.add(from)
    yield [hashedName('human', from), { 'prov:type': qualifiedName('prov:Person'), 'deputy:human_ref': from }]
  }
}

/** Yields the people who vouched for an agent of the workflow. Their weights are in the log. */
async function* influenceStatements(snapshot: Snapshot): AsyncGenerator<ProvStatement> {
  for await (const vouch of snapshot.vouches()) {
    const { vouch_id, from, to, context, made_at_ms, log_index, ended_index, ended_at_ms } = vouch
    const isEnded = ended_index !== undefined && ended_index < snapshot.size && ended_at_ms !== undefined
    yield [
      `_:vouch-${vouch_id}`,
      {
        'prov:influencee': hashedName('agent', to.slice('agent:'.length)),
        'prov:influencer': hashedName('human', from),
        'prov:type': qualifiedName('deputy:Vouch'),
        'deputy:vouch_id': vouch_id,
        ...(context !== undefined && { 'deputy:context': context }),
        'deputy:made_at': isoInstant(made_at_ms),
        ...(isEnded && { 'deputy:ended_at': isoInstant(ended_at_ms) }),
        'deputy:log_index': log_index,
      },
    ]
  }
}

/** Returns all members of the record. Its times use PROV's own attribute names. */
function activity(record: StoredRecord): ProvStatement {
  const { created_at, completed_at, metadata, parent_aar_id: _, ...rest } = publicRecord(record)
  const members = Object.entries(rest).map(([name, value]) => [`deputy:${name}`, value])
  return [
    actionActivity(record.aar_id),
    {
      'prov:type': qualifiedName('deputy:Action'),
      'prov:startTime': created_at,
      ...(completed_at !== undefined && { 'prov:endTime': completed_at }),
      ...Object.fromEntries(members),
      ...(metadata !== undefined && { 'deputy:metadata': JSON.stringify(metadata) }),
    },
  ]
}

async function* entityStatements(snapshot: Snapshot): AsyncGenerator<ProvStatement> {
  for await (const [{ token }] of snapshot.tokens()) yield [tokenEntity(token.jti), tokenMembers(token)]
  for await (const resource of snapshot.resources())
    yield [
      hashedName('resource', resource),
      { 'prov:type': qualifiedName('deputy:Resource'), 'deputy:resource': resource },
    ]
  for await (const { aar_id, result_hash } of snapshot.records())
    if (result_hash !== undefined)
      yield [
        resultEntity(aar_id),
        { 'prov:type': qualifiedName('deputy:Result'), 'deputy:result_hash': result_hash },
      ]
}

function tokenMembers(token: Token): ProvStatement[1] {
  const { svc_constraints } = token.claims
  return {
    'prov:type': [qualifiedName('deputy:AuthorityToken'), qualifiedName('prov:Plan')],
    'deputy:token': tokenRef(token.jti),
    'deputy:agent_id': shownAgent(token.agent_id),
    'deputy:delegation_depth': token.delegation_depth,
    'deputy:resources': token.scope.resources,
    'deputy:actions': token.scope.actions,
    'deputy:issued_at': isoInstant(token.issued_at_ms),
    'deputy:expires_at': isoInstant(token.limits.expires_at_ms),
    'deputy:log_index': token.log_index,
    ...(svc_constraints !== undefined && { 'deputy:constraints': JSON.stringify(svc_constraints) }),
  }
}

function association({ aar_id, agent_id, vat_jti }: StoredRecord): ProvStatement {
  return [
    `_:association-${aar_id}`,
    {
      'prov:activity': actionActivity(aar_id),
      'prov:agent': hashedName('agent', agent_id),
      'prov:plan': tokenEntity(vat_jti),
    },
  ]
}

/**
 * Returns the delegation of a token. None for a renewal, or for a token that an agent narrows for itself, because both
 * sides are the same agent.
 */
function delegation([{ token }, above]: Chain): ProvStatement | undefined {
  if (above?.token.agent_id === token.agent_id) return undefined
  return [
    `_:delegation-${tokenRef(token.jti).slice('sha256:'.length)}`,
    {
      'prov:delegate': hashedName('agent', token.agent_id),
      'prov:responsible':
        above === undefined
          ? hashedName('human', token.human_ref)
          : hashedName('agent', above.token.agent_id),
      'deputy:token': tokenRef(token.jti),
    },
  ]
}

function derivation([{ token }, above]: Chain): ProvStatement | undefined {
  if (above === undefined) return undefined
  return [
    `_:derivation-${tokenRef(token.jti).slice('sha256:'.length)}`,
    {
      'prov:generatedEntity': tokenEntity(token.jti),
      'prov:usedEntity': tokenEntity(above.token.jti),
      'prov:type': qualifiedName(token.renews_jti === undefined ? 'deputy:Delegation' : 'deputy:Renewal'),
    },
  ]
}

function usage({ aar_id, resource }: StoredRecord): ProvStatement {
  return [
    `_:usage-${aar_id}`,
    { 'prov:activity': actionActivity(aar_id), 'prov:entity': hashedName('resource', resource) },
  ]
}

function generation({ aar_id, result_hash }: StoredRecord): ProvStatement | undefined {
  if (result_hash === undefined) return undefined
  return [
    `_:generation-${aar_id}`,
    { 'prov:entity': resultEntity(aar_id), 'prov:activity': actionActivity(aar_id) },
  ]
}

function communication({ aar_id, parent_aar_id }: StoredRecord): ProvStatement | undefined {
  if (parent_aar_id === undefined) return undefined
  return [
    `_:communication-${aar_id}`,
    { 'prov:informed': actionActivity(aar_id), 'prov:informant': actionActivity(parent_aar_id) },
  ]
}
