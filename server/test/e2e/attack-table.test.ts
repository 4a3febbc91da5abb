import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Step } from '@deputize/biometrics'
import { aTestApp, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { theOpenPack } from '@deputize/testing/an-engine.ts'
import type { Puppet } from '@deputize/testing/puppet/a-puppet.ts'
import { aRememberingPuppet } from '@deputize/testing/puppet/a-remembering-puppet.ts'
import { puppetRecording, theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import { serviceCaptures, serviceLine, throughApi } from '@deputize/testing/puppet/service-captures.ts'
import { SPECIES, type Species } from '@deputize/testing/puppet/species.ts'

import { aCaptureSession, letTimePass, type Post, SESSIONS } from '../a-capture.ts'

const scope = { after }
const app = await aTestApp(scope, { engine: await theRealEngine(scope) })
const { enroll, verify, attack } = serviceCaptures(app, throughApi(app, TEST_URL))
/** The lowest rate that every check accepts: rendering and judging pictures is most of the work. */
const FPS = 8
const puppet = await aRememberingPuppet({ avatar: 5, voice: 'robert', fps: FPS })

/** The person of all tests below, once the control has enrolled them. */
let human_ref: string

/** A pack installed without Python has no nets for voices, so a different voice goes unnoticed. */
const canHearVoices = (await theOpenPack()).has('ecapa')
const UNHEARD: Pick<Species, 'expected' | 'causes'> = { expected: ['pass'], causes: [] }

/**
 * One capture of each kind through the API, judged by the real nets. An attack affects only its own steps; the person
 * performs the others or replaces them with the passkey. `biometrics/eval/attack-table.ts` measures rates.
 */
describe('the attack table', { timeout: 600_000 }, () => {
  test('control: a person is enrolled', async () => {
    human_ref = await enroll({ puppet })
  })

  test('control: the person is verified, and no cause counts against them', async () => {
    const outcome = await verify(human_ref, { puppet })
    // A puppet is an injected video that reflects the screen. It passes, which is a known limit of the engine.
    assert.equal(outcome.decision, 'pass', serviceLine(outcome))
    assert.deepEqual(outcome.causes, [])
    assert.equal(outcome.body.token.claims.svc_assurance_level, 'L3')
  })

  for (const species of SPECIES)
    test(`${species.name}: stopped by ${species.causes.join(' and ')}`, async () => {
      const isUnheard = !canHearVoices && species.causes.includes('voice_differs')
      const { expected, causes } = isUnheard ? UNHEARD : species
      const outcome = await attack(human_ref, puppet, species)
      assert.ok(expected.includes(outcome.decision), serviceLine(outcome))
      for (const cause of causes) assert.ok(outcome.causes.includes(cause), serviceLine(outcome))
      assert.equal(outcome.body?.token !== undefined, expected.includes('pass'))
    })
})

describe('a recording of a person', { timeout: 600_000 }, () => {
  const post: Post = (path, body) => app.post(path, body)

  async function aSession(purpose = 'enroll') {
    app.clock.advance(86_400_000)
    const session = await aCaptureSession(post, { purpose, ...(purpose === 'verify' && { human_ref }) })
    const { session_id, nonce, step } = session
    const recording = await puppetRecording(puppet, step)
    const send = (changes: object = {}) =>
      post(`${SESSIONS}/${session_id}/steps`, { nonce, ...recording, ...changes })
    return { session_id, nonce, step, send }
  }

  async function assertRefusedAs(code: string, answer: Promise<{ status: number; body: { code: string } }>) {
    const { status, body } = await answer
    assert.deepEqual([status, body.code], [409, code])
  }

  test('that answered another session fails in this one, even in order and with the right nonce', async () => {
    // The attacker has recordings of the requested movements from older captures, but not of these digits.
    const older: Step = { kind: 'speak', digits: '407185' }
    const replayed: Puppet = {
      perform: (step) => puppet.perform(step.kind === 'speak' ? older : step),
    }
    const outcome = await verify(human_ref, { puppet: replayed }, ['no_flash', 'no_hand'])
    assert.equal(outcome.decision, 'fail', serviceLine(outcome))
    assert.ok(outcome.causes.includes('wrong_digits'), serviceLine(outcome))
  })

  test('is refused with the nonce of another session, for a later step, too early and too late', async () => {
    const mine = await aSession()
    const theirs = await aSession('verify')
    letTimePass(app, theirs.step)
    await assertRefusedAs('nonce_mismatch', theirs.send({ nonce: mine.nonce }))
    await assertRefusedAs('step_mismatch', theirs.send({ step_id: 'st_2' }))
    const early = await aSession('verify')
    await assertRefusedAs('answer_early', early.send())
    app.clock.advance(Date.parse(early.step.answer_by) - app.clock() + 1)
    await assertRefusedAs('answer_late', early.send())
  })

  test('is judged once if two arrive at once, and the same one gets the same answer again', async () => {
    const { step, send } = await aSession('verify')
    letTimePass(app, step)
    const { frames } = await puppetRecording(puppet, step, { deceit: 'too_dark' })
    const uploads = [{}, { frames }]
    const answers = await Promise.all(uploads.map(send))
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'step_mismatch')
    const winner = answers.findIndex(({ status }) => status === 200)
    assert.deepEqual((await send(uploads[winner])).body, answers[winner]?.body)
  })
})
