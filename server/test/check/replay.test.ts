import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { applyLeaf, endReplay } from '../../src/check/replay/apply-leaf.ts'
import { type LeafEffects, newReplayState } from '../../src/check/replay/expected.ts'
import type { Leaf } from '../../src/log/leaf.ts'
import type { OperationCall } from '../../src/operations/operation-context.ts'
import { proveAddress } from '../a-proven-address.ts'
import { leafTexts } from '../e2e/audit-store.ts'
import { aDeveloper, aHuman, callerOf } from '../some-callers.ts'
import { aRichStore } from './rich-store.ts'

const { directory } = await aRichStore({ after })
const leaves: readonly Leaf[] = leafTexts(directory).map((text) => JSON.parse(text))

/** The violations in a log, each with the index of its leaf. */
function violationsOf(log: readonly Leaf[]): string[] {
  const replay = newReplayState()
  const sentences = (index: number, { violations }: LeafEffects) =>
    violations.map((what) => `${index} ${what}`)
  const found = log.flatMap((leaf, log_index) =>
    sentences(log_index, applyLeaf(leaf, { log_index, at_ms: Date.parse(leaf.at) }, replay)),
  )
  return [...found, ...sentences(log.length, endReplay(replay))]
}

function indexOf(is: (leaf: Leaf) => boolean): number {
  const index = leaves.findIndex(is)
  assert.ok(index >= 0, 'the log has no such leaf')
  return index
}

const ofType = (type: Leaf['type']) => indexOf((leaf) => leaf.type === type)

/** The log with one leaf changed. */
function changed(index: number, members: Record<string, unknown>): Leaf[] {
  return leaves.map((leaf, place) => (place === index ? { ...leaf, ...members } : leaf))
}

/** The log without one leaf. */
function without(index: number): Leaf[] {
  return leaves.filter((_, place) => place !== index)
}

/** The log with a leaf repeated at its end. */
function repeated(index: number, members: Record<string, unknown> = {}): Leaf[] {
  const [leaf, last] = [leaves[index], leaves.at(-1)]
  assert.ok(leaf !== undefined && last !== undefined)
  return [...leaves, { ...leaf, at: last.at, ...members }]
}

const recordOf = (token: unknown) =>
  indexOf((leaf) => leaf.type === 'action.authorized' && leaf.token === token)

const aRevokedToken = leaves[ofType('token.revoked')]?.token
const anApprovedAction = indexOf(
  (leaf) => leaf.approval_id !== undefined && leaf.type === 'action.authorized',
)

/** The index of the request that a habit or a grant approved: the leaf before the decision. */
const requestBefore = (by: 'habit' | 'grant') => indexOf((leaf) => leaf.by === by) - 1

/** An agent's public key. */
const aKey = () => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) })

/** Logs that violate the rules. */
const FORBIDDEN: Readonly<Record<string, readonly [log: Leaf[], violations: RegExp]>> = {
  'an action under a revoked token': [
    repeated(recordOf(aRevokedToken), { aar_id: 'aar_x' }),
    /allows an action that the rules deny \(token_revoked/,
  ],
  'an action outside the scope': [
    changed(ofType('action.recorded'), { action: 'admin' }),
    /allows an action that the rules deny \(action_not_in_scope\)/,
  ],
  'spending over a budget': [
    changed(ofType('action.recorded'), { spend_usd: 11 }),
    /allows an action that the rules deny \(budget_exceeded\)/,
  ],
  'a second revocation': [repeated(ofType('token.revoked')), /revokes a token that is revoked already/],
  'an L3 token without inner limits': [
    changed(
      indexOf((leaf) => leaf.inner_digest !== undefined),
      { inner_digest: undefined },
    ),
    /must have a digest of inner limits/,
  ],
  'inner limits of an L1 token': [
    changed(ofType('token.issued'), { inner_digest: `sha256:${'0'.repeat(64)}` }),
    /must have a digest of inner limits if its level is L3, and only then/,
  ],
  'a second release': [repeated(ofType('token.released')), /releases a token that is released already/],
  'a release of a token without inner limits': [
    repeated(ofType('token.suspended'), { type: 'token.released' }),
    /releases a token without inner limits/,
  ],
  'a second completion': [repeated(ofType('action.completed')), /closes a record that is not open/],
  'a record that expires too early': [
    changed(ofType('action.expired'), { at: leaves[0]?.at }),
    /expires a record too early/,
  ],
  'a child with more than its parent': [
    changed(ofType('token.delegated'), { scope: { resources: ['mail:*'], actions: ['read'] } }),
    /gives a child more than its parent holds \(mail:\*\)/,
  ],
  'a child that outlives its parent': [
    changed(ofType('token.delegated'), { expires_at_s: 9_999_999_999 }),
    /gives a child more than its parent holds \(its end\)/,
  ],
  'a child in another tenant than its parent': [
    changed(ofType('token.delegated'), { agent_id: 'agent:acme:sub-bot' }),
    /gives a child more than its parent holds \(tenant\)/,
  ],
  'a child of a tenant in the first': [
    changed(
      indexOf(({ type, agent_id }) => type === 'token.delegated' && agent_id === 'agent:acme:sub-bot'),
      { agent_id: 'agent:sub-bot' },
    ),
    /gives a child more than its parent holds \(tenant\)/,
  ],
  'an action of an agent with the same name in another tenant': [
    changed(
      indexOf(({ type, agent_id }) => type === 'action.recorded' && agent_id === 'agent:acme:calendar-bot'),
      { agent_id: 'agent:calendar-bot' },
    ),
    /does not name the agent of its token/,
  ],
  'a child of an unknown token': [
    changed(ofType('token.delegated'), { above: 'sha256:0' }),
    /extends a token that was never issued/,
  ],
  'a renewal that widens': [
    changed(ofType('token.renewed'), { scope: { resources: ['*:*'], actions: ['read'] } }),
    /changes a token while renewing it/,
  ],
  'a token for a suspended agent': [
    repeated(0, { agent_id: 'agent:quiet-bot', token: 'sha256:1' }),
    /issues a token to a suspended agent/,
  ],
  'an approval that is used twice': [
    repeated(anApprovedAction, { aar_id: 'aar_x' }),
    /uses an approval that was not given or is used already/,
  ],
  'an approval for something else': [
    changed(anApprovedAction, { resource: 'calendar:other' }),
    /uses an approval of a different request/,
  ],
  'an action without the approval that it needs': [
    changed(anApprovedAction, { approval_id: undefined }),
    /allows an action without the approval it needs/,
  ],
  'an approval by a habit that does not exist': [
    changed(
      indexOf((leaf) => leaf.by === 'human'),
      { by: 'habit' },
    ),
    /approves by a habit that does not apply/,
  ],
  'an approval by a habit of smaller amounts': [
    changed(requestBefore('habit'), { spend_usd: 1000 }),
    /approves by a habit that does not apply/,
  ],
  'an approval by a habit of another shape': [
    changed(requestBefore('habit'), { shape: 'hmac:other' }),
    /approves by a habit that does not apply/,
  ],
  'an approval by a habit of what was picked for a person': [
    changed(requestBefore('habit'), { approval_id: 'apr_00' }).map((leaf, index) =>
      index === requestBefore('habit') + 1 ? { ...leaf, approval_id: 'apr_00' } : leaf,
    ),
    /approves by a habit that does not apply/,
  ],
  'an approval by a grant beyond its sum': [
    changed(requestBefore('grant'), { spend_usd: 4.000001 }),
    /approves by a grant that does not apply/,
  ],
  'an approval by a grant of another approval': [
    changed(requestBefore('grant') + 1, { grant_id: 'apr_other' }),
    /approves by a grant that does not apply/,
  ],
  'a grant that lasts for years': [
    changed(
      indexOf((leaf) => leaf.grant !== undefined),
      { grant: { expires_at: '2099-01-01T00:00:00.000Z', max_spend_usd: 5 } },
    ),
    /gives a grant that lasts too long/,
  ],
  'the end of a grant that does not exist': [
    repeated(ofType('approval.grant_ended')),
    /ends a grant that does not exist/,
  ],
  'an approval with too few approvers': [
    leaves.filter((_, index) => index !== ofType('approval.endorsed')),
    /approves what too few approvers have approved/,
  ],
  'an approval by one person instead of two': [
    changed(
      indexOf((leaf) => leaf.type === 'approval.decided' && leaf.by === `sha256:${'b'.repeat(64)}`),
      { by: `sha256:${'a'.repeat(64)}` },
    ),
    /lets one person approve twice/,
  ],
  'an approval by a person who is not an approver': [
    changed(ofType('approval.endorsed'), { by: 'sha256:stranger' }),
    /lets a person approve who is not an approver/,
  ],
  'an approval that is decided twice': [
    repeated(ofType('approval.decided')),
    /decides an approval that was not requested or is decided already/,
  ],
  'a denial for a wrong reason': [
    changed(ofType('action.denied'), { reasons: ['rate_limit'] }),
    /has other reasons for a denial than the rules \(action_not_in_scope\)/,
  ],
  'a trust score that is too high': [
    changed(ofType('action.recorded'), { trust_score: 1 }),
    /has another trust score than its level and depth imply/,
  ],
  'a missing threshold': [
    leaves.filter(({ type }) => type !== 'budget.threshold'),
    /is in the place of the leaf of a budget that reached a threshold/,
  ],
  'a threshold that no budget reached': [
    repeated(ofType('budget.threshold')),
    /follows a threshold that no budget reached/,
  ],
  'a completion that hides a revocation': [
    changed(
      indexOf((leaf) => leaf.completed_after_revocation === true),
      { completed_after_revocation: undefined },
    ),
    /is wrong about whether the token was revoked/,
  ],
  'a completion that hides an overrun': [
    changed(
      indexOf((leaf) => leaf.over_budget === true),
      { over_budget: undefined },
    ),
    /is wrong about whether a budget was exceeded/,
  ],
  'a completion that hides that it cost more than authorized': [
    changed(
      indexOf((leaf) => leaf.exceeded === true),
      { exceeded: undefined },
    ),
    /is wrong about whether the action cost more than it was authorized for/,
  ],
  'a completion that claims to have cost more than authorized': [
    changed(
      indexOf((leaf) => leaf.type === 'action.completed' && leaf.exceeded === undefined),
      { exceeded: true },
    ),
    /is wrong about whether the action cost more than it was authorized for/,
  ],
  'a token that exceeded its authorization and was not suspended': [
    leaves.filter(({ code }) => code !== 'exceeded_authorization'),
    /is in the place of the suspension of a token that exceeded its authorization/,
  ],
  'a suspension by the service without a cause': [
    repeated(indexOf((leaf) => leaf.code === 'exceeded_authorization')),
    /suspends a token for a spend that was not exceeded/,
  ],
  'a suspension by the service that a developer could lift': [
    changed(
      indexOf((leaf) => leaf.code === 'exceeded_authorization'),
      { rank: 'developer' },
    ),
    /is in the place of the suspension of a token that exceeded its authorization/,
  ],
  'an action that a used up budget denies': [
    changed(
      indexOf(
        (leaf) =>
          leaf.type === 'action.denied' &&
          String(leaf.reasons) === 'budget_exceeded' &&
          leaf.spend_usd === undefined,
      ),
      { reasons: ['action_limit'] },
    ),
    /has other reasons for a denial than the rules \(budget_exceeded\)/,
  ],
  'an unknown kind of evidence': [
    changed(
      indexOf((leaf) => leaf.evidence === 'observed' && leaf.type === 'action.completed'),
      { evidence: 'countersigned' },
    ),
    /has an unknown kind of evidence/,
  ],
  'evidence of an expiry': [
    changed(ofType('action.expired'), { evidence: 'observed' }),
    /has evidence for an expiry/,
  ],
  'an erasure without a revocation': [
    leaves.filter(
      (leaf, index) => leaves[index + 1]?.type !== 'human.erased' || leaf.type !== 'human.revoked',
    ),
    /erases a person without revoking their tokens directly before/,
  ],
  'a suspension of a suspended token': [
    changed(ofType('token.resumed'), { type: 'token.suspended' }),
    /suspends a suspended token or agent/,
  ],
  'a rating of an unknown agent': [
    changed(ofType('action.rated'), { agent_id: 'agent:unknown' }),
    /rates an unknown agent/,
  ],
  'a removal of an entry that does not exist': [
    repeated(indexOf((leaf) => leaf.type === 'registry.changed' && leaf.removed === true)),
    /removes a registry entry that does not exist/,
  ],
  'an entry transferred to another tenant': [
    repeated(ofType('registry.changed'), { tenant_id: 'other' }),
    /transfers a registry entry to another tenant or person/,
  ],
  'an entry both set and removed': [
    changed(ofType('registry.changed'), { removed: true }),
    /must either set a document or remove the entry/,
  ],
  'an entry that takes back a level that it never gave': [
    changed(ofType('registry.changed'), { withdraws: 'L3' }),
    /takes back a level that its entry cannot have given/,
  ],
  'an entry that neither a key nor a person changed': [
    changed(ofType('registry.changed'), { by: 'operator' }),
    /is made by neither an API key nor a person/,
  ],
  'an entry of an unknown kind': [
    changed(ofType('registry.changed'), { kind: 'crown' }),
    /has an unknown kind of registry entry/,
  ],
  'a vouch made twice': [repeated(ofType('vouch.made')), /makes a vouch that exists already/],
  'a vouch that stands, given again': [
    repeated(ofType('vouch.made'), { vouch_id: 'vch_again' }),
    /repeats a vouch that stands/,
  ],
  'a vouch for oneself': [
    changed(ofType('vouch.made'), { to: { human_ref: leaves[ofType('vouch.made')]?.from } }),
    /lets a person vouch for themselves/,
  ],
  'a vouch for an agent of one’s own': [
    changed(ofType('vouch.made'), { to: { agent_id: 'agent:ada-bot' } }),
    /lets a person vouch for an agent of theirs/,
  ],
  'a vouch for nobody': [changed(ofType('vouch.made'), { to: 'bea' }), /names nobody to vouch for/],
  'a vouch with too much weight': [
    changed(ofType('vouch.made'), { weight: 1_000_001 }),
    /has an invalid weight/,
  ],
  'a vouch that is changed after its end': [
    repeated(ofType('vouch.changed'), { vouch_id: leaves[ofType('vouch.withdrawn')]?.vouch_id }),
    /changes a vouch that does not stand/,
  ],
  'a vouch withdrawn twice': [repeated(ofType('vouch.withdrawn')), /withdraws a vouch that has ended/],
  'a vouch withdrawn by somebody else': [
    changed(ofType('vouch.withdrawn'), { by: 'agent' }),
    /has an unknown kind of withdrawal/,
  ],
  'a vouch that goes on after its agent became the voucher’s own': [
    without(indexOf((leaf) => leaf.by === 'own_agent')),
    /is in the place of the end of a vouch for oneself or for an own agent/,
  ],
  'a vouch that goes on although both ends are one person': [
    without(indexOf((leaf) => leaf.by === 'same_person')),
    /is in the place of the end of a vouch for oneself or for an own agent/,
  ],
  'a withdrawal by the service without a cause': [
    changed(
      indexOf((leaf) => leaf.type === 'vouch.withdrawn' && leaf.by === 'person'),
      { by: 'own_agent' },
    ),
    /ends a vouch as one for oneself or for an own agent, which it is not/,
  ],
  'a withdrawal by the service with another cause': [
    changed(
      indexOf((leaf) => leaf.by === 'same_person'),
      { by: 'own_agent' },
    ),
    /ends a vouch as one for oneself or for an own agent, which it is not/,
  ],
  'an anchor with too large a base': [
    changed(ofType('anchor.named'), { base: 950_001 }),
    /has an invalid base/,
  ],
  'an anchor removed twice': [
    repeated(ofType('anchor.removed')),
    /removes an anchor that is removed already/,
  ],
  'an action allowed by a score that is too low': [
    changed(
      indexOf((leaf) => leaf.type === 'action.authorized' && leaf.vouch_score !== undefined),
      { vouch_score: 1 },
    ),
    /allows an action that the rules deny \(vouch_score_too_low\)/,
  ],
  'a score that was never computed': [
    changed(
      indexOf((leaf) => leaf.type === 'action.denied' && leaf.vouch_score === 0),
      { vouch_score: 5 },
    ),
    /states a score that was never computed/,
  ],
  'a session that begins twice': [repeated(ofType('session.begun')), /begins a session that exists already/],
  'a session that ends twice': [repeated(ofType('session.ended')), /ends a session that does not exist/],
  'the end of the session of another person': [
    changed(ofType('session.ended'), { human_ref: 'sha256:other' }),
    /ends the session of another tenant or person/,
  ],
  'an access mode that holds already': [
    repeated(ofType('access.changed')),
    /sets the access mode that holds already/,
  ],
  'an unknown access mode': [
    changed(ofType('access.changed'), { mode: 'ajar' }),
    /has an unknown access mode/,
  ],
  'an endpoint that is disabled for an unknown reason': [
    changed(ofType('webhook.disabled'), { reason: 'unloved' }),
    /disables an endpoint for an unknown reason/,
  ],
  'a restore of a backup of a later time': [
    changed(ofType('deployment.restored'), { backed_up_at: '2099-01-01T00:00:00.000Z' }),
    /restores a backup from a later time/,
  ],
  'a restore that does not say whether the log continues': [
    changed(ofType('deployment.restored'), { continues: 'perhaps' }),
    /does not say whether the log continues/,
  ],
  'a restore that continues a log whose entries were lost': [
    changed(ofType('deployment.restored'), { newest_size: 1_000_000 }),
    /continues a log whose entries were lost/,
  ],
  'a restore that names a lost checkpoint that the log still covers': [
    changed(ofType('deployment.restored'), { newest_size: 1 }),
    /names a lost checkpoint that the log still covers/,
  ],
  'a rotation to a withdrawn key': [
    repeated(ofType('key.rotated'), {}),
    /rotates to a signing key that was withdrawn/,
  ],
  'a withdrawal from a later time on': [
    changed(ofType('key.withdrawn'), { from: '2099-01-01T00:00:00.000Z' }),
    /withdraws a signing key from a later time on/,
  ],
  'an unknown leaf type': [
    changed(ofType('key.rotated'), { type: 'key.sold' }),
    /has the type "key.sold", which this version does not know/,
  ],
  'a leaf without a required member': [
    changed(ofType('action.recorded'), { action: 1 }),
    /has no text in action/,
  ],
}

describe('a log', () => {
  test('written by the service violates no rule', () => {
    assert.deepEqual(violationsOf(leaves), [])
  })

  test('written by the service contains every leaf type', () => {
    const types = [...new Set(leaves.map(({ type }) => type))]
    assert.equal(types.length, 43)
  })

  test('of an earlier version, whose habits had no shape, stays valid under the rules of its time', () => {
    const old = leaves.map(({ shape, ...leaf }) =>
      leaf.agent_id === 'agent:careful-bot' || shape === undefined ? leaf : { ...leaf, shape },
    )
    assert.notDeepEqual(old, leaves)
    assert.deepEqual(violationsOf(old as Leaf[]), []) // only an optional member is missing
  })

  test('of a person who owns agents under two refs violates no rule', async (t) => {
    const service = await aTestApp(t, { access: 'keyed' })
    const bot = (agent_id: string, agent_jwk = aKey()) => ({
      // A valid request body, which HTTP would have checked.
      body: anIssueRequest({ agent_id, agent_jwk }) as OperationCall<'issueL1'>['body'],
    })
    const { claims } = await callerOf(service, aDeveloper('default'))('issueL1', bot('another-bot'))
    const [account, address] = [`sha256:${'a'.repeat(64)}`, String(claims.svc_human_ref)] as const
    const shared = aKey()
    await callerOf(service, aHuman('default', address))('issueL1', bot('first-bot', shared))
    await proveAddress(service, { tenant_id: 'default', address, account })
    await callerOf(service, aHuman('default', account, address))('issueL1', bot('second-bot', shared))
    const log: Leaf[] = (await service.leafTexts()).map((text) => JSON.parse(text))
    assert.deepEqual(violationsOf(log), [])
    const unlinked = log.filter(({ type }) => type !== 'registry.changed')
    assert.match(
      violationsOf(unlinked).join(),
      /binds a token to the key of an agent that its issuer does not own/,
    )
  })

  for (const [name, [log, violations]] of Object.entries(FORBIDDEN)) {
    test(`with ${name} is rejected`, () => {
      const found = violationsOf(log)
      assert.ok(
        found.some((sentence) => violations.test(sentence)),
        JSON.stringify(found.slice(0, 5)),
      )
    })
  }
})
