import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Claims } from '@deputize/protocol'
import type { Command, IssueCommand, Reply } from '../../src/clerk/command.ts'
import {
  crossingCommands,
  crossingResult,
  readCrossedCommands,
  readCrossedResult,
} from '../../src/clerk/crossing.ts'

const CLAIMS: Claims = {
  iss: 'http://127.0.0.1:8420',
  sub: 'agent:calendar-bot',
  iat: 1_800_000_000,
  nbf: 1_800_000_000,
  exp: 1_800_003_600,
  jti: 'vat_root_1',
  svc_env: 'open',
  svc_trust_score: 0.4,
  svc_scope: { resources: ['calendar:events'], actions: ['read'] },
  svc_assurance_level: 'L1',
  svc_human_ref: `sha256:${'a'.repeat(64)}`,
  svc_email_verified: false,
  svc_provenance_ref: 'prov_1',
  svc_delegation_depth: 0,
  svc_root_jti: 'vat_root_1',
}
const ISSUE: IssueCommand = {
  kind: 'issue',
  claims: CLAIMS,
  purpose: undefined,
  compact_jwt: 'head.payload.signature',
  jwt_hash: `sha256:${'b'.repeat(64)}`,
  status_index: 7,
}
const REPEATED = { ...ISSUE, replay: { key: 'a key', fingerprint: 'a body' } }
const OUTCOME = {
  jti: 'vat_root_1',
  provenance_ref: 'prov_1',
  compact_jwt: ISSUE.compact_jwt,
  claims: CLAIMS,
}

/** What the main thread receives for commands if the writing thread answers each with `answer`. */
function answered(commands: readonly Command[], answer: (command: Command) => Reply): Reply[] {
  const received = readCrossedCommands(crossingCommands(commands))
  const text = crossingResult(received, { replies: received.map(answer), wrote: true })
  return readCrossedResult(text, commands).replies
}

describe('a token that crosses to the writing thread', () => {
  test('is sent without its signed text, but its answer contains it', () => {
    const [received] = readCrossedCommands(crossingCommands([ISSUE]))
    assert.ok(received?.kind === 'issue')
    assert.equal(received.compact_jwt, '')
    assert.deepEqual(received.claims, CLAIMS)
    const outcome = { ...OUTCOME, compact_jwt: '' }
    assert.deepEqual(
      answered([ISSUE], () => ({ outcome })),
      [{ outcome: OUTCOME }],
    )
  })

  test('is sent with its signed text if the answer is stored, and a stored answer comes back', () => {
    const [received] = readCrossedCommands(crossingCommands([REPEATED]))
    assert.deepEqual(received, JSON.parse(JSON.stringify(REPEATED)))
    const earlier: Reply = { outcome: { ...OUTCOME, compact_jwt: 'an earlier one' }, replayed: true }
    assert.deepEqual(
      answered([REPEATED], () => earlier),
      [earlier],
    )
  })

  test('is refused in the words of the judge, alongside other kinds of commands', () => {
    const refusal: Reply = { refusal: { code: 'token_not_live', detail: 'suspended', members: {} } }
    const probe: Command = { kind: 'probe' }
    const replyTo = ({ kind }: Command): Reply => (kind === 'probe' ? { outcome: 1 } : refusal)
    assert.deepEqual(answered([ISSUE, probe, REPEATED], replyTo), [refusal, { outcome: 1 }, refusal])
  })
})
