import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { endStory, tell } from '../../src/check/replay/apply-leaf.ts'
import { newStory, type Telling } from '../../src/check/replay/expected.ts'
import type { Leaf } from '../../src/log/leaf.ts'
import { leafTexts } from '../e2e/audit-store.ts'
import { aRichStore } from './rich-store.ts'

const { directory } = await aRichStore({ after })
const leaves: readonly Leaf[] = leafTexts(directory).map((text) => JSON.parse(text))

/** What is wrong with a log, each with the place of its leaf. */
function wrongs(log: readonly Leaf[]): string[] {
  const story = newStory()
  const sentences = (index: number, { wrong }: Telling) => wrong.map((what) => `${index} ${what}`)
  const told = log.flatMap((leaf, log_index) =>
    sentences(log_index, tell(leaf, { log_index, at_ms: Date.parse(leaf.at) }, story)),
  )
  return [...told, ...sentences(log.length, endStory(story))]
}

function indexOf(is: (leaf: Leaf) => boolean): number {
  const index = leaves.findIndex(is)
  assert.ok(index >= 0, 'there is no such leaf')
  return index
}

const ofType = (type: Leaf['type']) => indexOf((leaf) => leaf.type === type)

/** The log with some leaf as it never was. */
function changed(index: number, members: Record<string, unknown>): Leaf[] {
  return leaves.map((leaf, place) => (place === index ? { ...leaf, ...members } : leaf))
}

/** The log with a leaf told again at its end. */
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

/** Logs that tell of what the rules forbid. */
const FORBIDDEN: Readonly<Record<string, readonly [log: Leaf[], wrong: RegExp]>> = {
  'an action under a revoked token': [
    repeated(recordOf(aRevokedToken), { aar_id: 'aar_x' }),
    /allows what the rules refuse \(token_revoked/,
  ],
  'an action outside the scope': [
    changed(ofType('action.recorded'), { action: 'admin' }),
    /allows what the rules refuse \(action_not_in_scope\)/,
  ],
  'spending over a budget': [
    changed(ofType('action.recorded'), { spend_usd: 11 }),
    /allows what the rules refuse \(budget_exceeded\)/,
  ],
  'a second revocation': [repeated(ofType('token.revoked')), /revokes a token that was revoked before/],
  'a second completion': [repeated(ofType('action.completed')), /closes a record that is not open/],
  'a record that expires before its time': [
    changed(ofType('action.expired'), { at: leaves[0]?.at }),
    /expires a record before its time/,
  ],
  'a child with more than its parent': [
    changed(ofType('token.delegated'), { scope: { resources: ['mail:*'], actions: ['read'] } }),
    /gives a token more than the one above it has \(mail:\*\)/,
  ],
  'a child that outlives its parent': [
    changed(ofType('token.delegated'), { expires_at_s: 9_999_999_999 }),
    /gives a token more than the one above it has \(its end\)/,
  ],
  'a child in another tenant than its parent': [
    changed(ofType('token.delegated'), { agent_id: 'agent:acme:sub-bot' }),
    /gives a token more than the one above it has \(tenant\)/,
  ],
  'a child of a tenant in the first': [
    changed(
      indexOf(({ type, agent_id }) => type === 'token.delegated' && agent_id === 'agent:acme:sub-bot'),
      { agent_id: 'agent:sub-bot' },
    ),
    /gives a token more than the one above it has \(tenant\)/,
  ],
  'an action of an agent with the same name in another tenant': [
    changed(
      indexOf(({ type, agent_id }) => type === 'action.recorded' && agent_id === 'agent:acme:calendar-bot'),
      { agent_id: 'agent:calendar-bot' },
    ),
    /names another agent than that of its token/,
  ],
  'a child of nobody': [
    changed(ofType('token.delegated'), { above: 'sha256:0' }),
    /passes on a token that was never issued/,
  ],
  'a renewal that widens': [
    changed(ofType('token.renewed'), { scope: { resources: ['*:*'], actions: ['read'] } }),
    /renews a token as another one than it was/,
  ],
  'a token for a suspended agent': [
    repeated(0, { agent_id: 'agent:quiet-bot', token: 'sha256:1' }),
    /gives authority to an agent that is suspended/,
  ],
  'an approval that is used twice': [
    repeated(anApprovedAction, { aar_id: 'aar_x' }),
    /uses an approval that was never given, or was used before/,
  ],
  'an approval for something else': [
    changed(anApprovedAction, { resource: 'calendar:other' }),
    /uses an approval that was not given for exactly this/,
  ],
  'an action without the approval that it needs': [
    changed(anApprovedAction, { approval_id: undefined }),
    /allows without an approval what needs one/,
  ],
  'a habit that was none': [
    changed(
      indexOf((leaf) => leaf.by === 'human'),
      { by: 'habit' },
    ),
    /approves by a habit that was none/,
  ],
  'an approval that is decided twice': [
    repeated(ofType('approval.decided')),
    /decides what was not asked, or was decided before/,
  ],
  'a denial without a reason': [
    changed(ofType('action.denied'), { reasons: ['rate_limit'] }),
    /denies for other reasons than the rules give \(action_not_in_scope\)/,
  ],
  'a trust that was not earned': [
    changed(ofType('action.recorded'), { trust_score: 1 }),
    /tells another trust score than follows from level and depth/,
  ],
  'a threshold that is not told of': [
    leaves.filter(({ type }) => type !== 'budget.threshold'),
    /should tell of a budget that reached a threshold/,
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
    /is wrong about whether the token was revoked by then/,
  ],
  'a completion that hides an overrun': [
    changed(
      indexOf((leaf) => leaf.over_budget === true),
      { over_budget: undefined },
    ),
    /is wrong about whether a budget was exceeded/,
  ],
  'evidence that nothing gives': [
    changed(
      indexOf((leaf) => leaf.evidence === 'observed' && leaf.type === 'action.completed'),
      { evidence: 'countersigned' },
    ),
    /tells of evidence that nothing gives/,
  ],
  'evidence of an expiry': [
    changed(ofType('action.expired'), { evidence: 'observed' }),
    /tells of evidence where nobody said anything/,
  ],
  'an erasure without a revocation': [
    leaves.filter(
      (leaf, index) => leaves[index + 1]?.type !== 'human.erased' || leaf.type !== 'human.revoked',
    ),
    /erases a person whose tokens were not revoked right before/,
  ],
  'a suspension of what is suspended': [
    changed(ofType('token.resumed'), { type: 'token.suspended' }),
    /suspends what is suspended/,
  ],
  'a rating of nobody': [
    changed(ofType('action.rated'), { agent_id: 'agent:nobody' }),
    /rates an agent that nobody has heard of/,
  ],
  'a removal of what is not there': [
    repeated(indexOf((leaf) => leaf.type === 'registry.changed' && leaf.removed === true)),
    /removes what is not in the registry/,
  ],
  'an entry that went to another tenant': [
    repeated(ofType('registry.changed'), { tenant_id: 'other' }),
    /gives an entry of the registry to another tenant or person/,
  ],
  'an entry that is there and removed': [
    changed(ofType('registry.changed'), { removed: true }),
    /neither enters something nor removes it/,
  ],
  'an entry of a kind that there is not': [
    changed(ofType('registry.changed'), { kind: 'crown' }),
    /tells of a kind of entry that there is not/,
  ],
  'something that this version does not know': [
    changed(ofType('key.rotated'), { type: 'key.sold' }),
    /tells of "key.sold", which this version does not know/,
  ],
  'a leaf that lacks a member': [changed(ofType('action.recorded'), { action: 1 }), /has no text as action/],
}

describe('a log', () => {
  test('that the service wrote breaks no rule', () => {
    assert.deepEqual(wrongs(leaves), [])
  })

  test('of the service tells of everything that leaves can tell of', () => {
    const types = [...new Set(leaves.map(({ type }) => type))]
    assert.equal(types.length, 25)
  })

  for (const [name, [log, wrong]] of Object.entries(FORBIDDEN)) {
    test(`that tells of ${name} is wrong`, () => {
      const found = wrongs(log)
      assert.ok(
        found.some((sentence) => wrong.test(sentence)),
        JSON.stringify(found.slice(0, 5)),
      )
    })
  }
})
