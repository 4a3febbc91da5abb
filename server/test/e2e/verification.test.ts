import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { aProgram } from '@deputize/testing/program.ts'
import { FPS } from '@deputize/testing/puppet/a-ready-puppet.ts'
import { aRememberingPuppet } from '@deputize/testing/puppet/a-remembering-puppet.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { aPersonBefore, assertVerified, engineSettings } from './a-person-before.ts'

const scope = { after }
const directory = temporaryDirectory(scope)
const program = await aProgram(scope, directory, await engineSettings())
const person = await aPersonBefore([program.url])

describe('a person in front of the program with its real engine', { timeout: 600_000 }, () => {
  let human_ref: string

  test('is enrolled with a passkey', async () => {
    human_ref = await person.enroll()
  })

  test('is verified and gets a token that authorizes', async () => {
    await assertVerified(person, human_ref)
  })

  test('cannot be impersonated by another person who holds the passkey', async () => {
    const thief = await aRememberingPuppet({ avatar: 31, voice: 'robert', fps: FPS })
    // The passkey replaces every step that can be left out.
    const judged = await person.verify(
      { human_ref, accommodations: ['no_voice', 'no_hand', 'no_flash'] },
      thief,
    )
    assert.deepEqual([judged.passed, judged.decision, judged.token], [false, 'fail', undefined])
    const face = judged.modalities.find(({ name }) => name === 'face_liveness')
    assert.equal(face?.passed, false)
    assert.ok(Number(face.measures?.face_match ?? 1) < 0.6, JSON.stringify(face))
  })

  test('leaves a deployment that starts in open mode again without a setting', async (context) => {
    await program.stop()
    await aProgram(context, directory)
  })
})
