import assert from 'node:assert/strict'
import { MODALITIES } from '@deputize/biometrics'
import {
  answerSession,
  type CreateVerificationSessionInput,
  type Deputy,
  DeputyError,
  deputy,
  type EnrollInput,
} from '@deputize/sdk'
import { aDevice } from '@deputize/testing/a-device.ts'
import { anEngine } from '@deputize/testing/an-engine.ts'
import type { Puppet } from '@deputize/testing/puppet/a-puppet.ts'
import { aReadyPuppet } from '@deputize/testing/puppet/a-ready-puppet.ts'
import { puppetCamera } from '@deputize/testing/puppet/puppet-engine.ts'

const ORIGIN = 'https://deputy.example'
const TOKEN = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'] }
/** On a busy machine, judging a step may take a long time. */
const PATIENCE_MS = 150_000
const SESSIONS_MAX = 4

/** Settings of a program with the real engine, at a host name that passkeys can be bound to. */
export const engineSettings = async () => ({
  DEPUTY_PUBLIC_URL: ORIGIN,
  DEPUTY_ENGINE_DIR: await anEngine(),
  DEPUTY_ENGINE_PROCESSES: '1',
})

/** A person with a passkey, in front of one or more nodes that answer in turn. */
export async function aPersonBefore(urls: readonly string[]) {
  const nodes = urls.map((url) => deputy({ url, timeout_ms: PATIENCE_MS }))
  const device = aDevice(ORIGIN)
  const person = await aReadyPuppet()
  let turn = 0
  const next = (): Deputy => {
    const node = nodes[turn++ % nodes.length]
    if (node === undefined) throw new Error('no nodes were given')
    return node
  }

  /** Answers every step of a session, each on the next node, and signs with the person's passkey. */
  async function captured(opening: CreateVerificationSessionInput, puppet: Puppet, request: object = {}) {
    const { version } = await next().getConsent()
    const session = await next().createVerificationSession({ consent: { version }, ...opening })
    assert.equal(session.passkey_required, true)
    const anyNode = { answerStep: ((...call) => next().answerStep(...call)) satisfies Deputy['answerStep'] }
    const { session_id, nonce, media } = await answerSession(anyNode, session, puppetCamera(puppet), {
      onRepeat: (reasons) => assert.fail(JSON.stringify(reasons)),
    })
    assert.equal(media.length, session.steps_total)
    const { ceremony, options } = await next().beginSessionPasskey({ id: session_id, nonce, ...request })
    // The options are those of WebAuthn, and the device answers with the JSON of a browser.
    const challenge = options as { readonly challenge: string }
    const passkey =
      ceremony === 'create'
        ? { passkey_registration: device.create(challenge) as unknown as EnrollInput['passkey_registration'] }
        : { passkey: device.get(challenge) as unknown as EnrollInput['passkey'] }
    return { session_id, nonce, ...passkey }
  }

  /** Opens a new session, as the service advises, if the machine was too slow to render a step in time. */
  async function capturedInTime(...call: Parameters<typeof captured>) {
    for (let left = SESSIONS_MAX; ; left--)
      try {
        return await captured(...call)
      } catch (error) {
        const isLate = error instanceof DeputyError && error.code === 'answer_late'
        if (!isLate || left === 1) throw error
      }
  }

  return {
    person,
    async enroll(opening: Partial<CreateVerificationSessionInput> = {}): Promise<string> {
      const answered = await capturedInTime({ purpose: 'enroll', ...opening }, person)
      const { enrolled, human_ref, modalities } = await next().enroll(answered)
      assert.equal(enrolled, true, JSON.stringify(modalities))
      return human_ref
    },
    async verify(opening: Omit<CreateVerificationSessionInput, 'purpose'>, puppet: Puppet) {
      const answered = await capturedInTime({ purpose: 'verify', ...opening }, puppet, TOKEN)
      return next().capture({ ...answered, ...TOKEN })
    },
    next,
  }
}

type Person = Awaited<ReturnType<typeof aPersonBefore>>

/** Verifies the person, and asserts that the token states who was verified and how, and that it authorizes. */
export async function assertVerified({ person, verify, next }: Person, human_ref: string): Promise<void> {
  const judged = await verify({ human_ref }, person)
  assert.equal(judged.decision, 'pass', JSON.stringify(judged.modalities))
  const { token, verification_id } = judged
  assert.ok(token !== undefined)
  const { claims } = token
  assert.deepEqual(
    [claims.svc_assurance_level, claims.svc_trust_score, claims.svc_human_ref],
    ['L3', 0.95, human_ref],
  )
  const { id, provider, methods } = claims.svc_verification ?? {}
  assert.deepEqual(
    { id, provider, methods },
    { id: verification_id, provider: 'builtin', methods: [...MODALITIES] },
  )
  const act = { vat_jti: token.jti, resource: 'calendar:events', action: 'read' }
  const { authorized, trust_score } = await next().authorize(act)
  assert.deepEqual({ authorized, trust_score }, { authorized: true, trust_score: 0.95 })
}
