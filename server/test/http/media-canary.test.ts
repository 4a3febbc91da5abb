import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EngineError } from '@deputize/biometrics'
import { type Answer, aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { actedRecording, anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { aCaptureSession, enrolled, letTimePass, type Post, SESSIONS } from '../a-capture.ts'

/** Texts in a recording: in the bytes of pictures and sound, and in a browser's description of its camera. */
const WORDS = {
  picture: 'canary-in-a-picture',
  sound: 'canary-in-a-sound',
  label: 'canary-in-a-label',
}

/** Each word in plain text, and in base64 in each of its three alignments. */
function formsOf(word: string): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${word}`)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [word, ...shifted]
}

const FORMS = Object.values(WORDS).flatMap(formsOf)

/** The recording of a person who follows the step, with a word wherever bytes or texts are allowed. */
function markedRecording(step: { step_id: string; duration_ms: number }) {
  const acted = { face: 1, comment: WORDS.picture }
  const pcm16 = Buffer.alloc(2 * 16 * step.duration_ms)
  pcm16.write(WORDS.sound, 1000)
  return {
    ...actedRecording(step, acted),
    audio: { t0_ms: 0, pcm16: pcm16.toString('base64') },
    device: { video_label: WORDS.label },
  }
}

async function rowsOf({ rows }: TestApp): Promise<string[]> {
  const tables = isOnPostgres
    ? await rows(`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`)
    : []
  const contents = await Promise.all(tables.map(({ name }) => rows(`SELECT * FROM ${String(name)}`)))
  return contents
    .flat()
    .flatMap((row) => Object.values(row))
    .map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)))
}

function filesOf({ directory }: TestApp): string[] {
  return filesBelow(directory).map(({ bytes }) => bytes.toString('latin1'))
}

test('nothing of a recording reaches the disk, the log, metrics, exports or an answer', async (context) => {
  const log: string[] = []
  const heard: Answer[] = []
  const engine = anActedEngine()
  const app = await aTestApp(context, { engine, l3_passkey: 'optional', onLog: (line) => log.push(line) })
  const post: Post = async (path, body) => {
    const answer = await app.post(path, body)
    heard.push(answer)
    return answer
  }
  const { human_ref } = await enrolled(post, app, { face: 1 })

  // A judged capture, with every recording marked.
  const session = await aCaptureSession(post, { purpose: 'verify', human_ref })
  const { session_id, nonce } = session
  const steps = `${SESSIONS}/${session_id}/steps`
  let marked = 0
  for (let step = session.step; step !== undefined; marked += 1) {
    letTimePass(app, step)
    const { status, body } = await post(steps, { nonce, ...markedRecording(step) })
    assert.equal(status, 200, JSON.stringify(body))
    step = body.step
  }
  assert.ok(marked >= 5)
  const judged = await post('/v1/vat/auth/capture', { session_id, nonce })
  assert.equal(judged.body.passed, true)

  // Recordings that are refused by the session, by the schema of the body, and by the engine.
  const next = await aCaptureSession(post, { purpose: 'verify', human_ref })
  const path = `${SESSIONS}/${next.session_id}/steps`
  const recording = markedRecording(next.step)
  const refused = [
    await post(steps, { nonce, ...recording }),
    await post(path, { nonce: WORDS.label, ...recording }),
    await post(path, { nonce: next.nonce, ...recording, [WORDS.label]: WORDS.picture }),
    await post(path, { nonce: next.nonce, ...recording, frames: [{ t_ms: 0, jpeg: `${WORDS.picture}!` }] }),
  ]
  letTimePass(app, next.step)
  engine.failNext(new EngineError('bad_media', 'The picture cannot be read.', { pointer: '/frames/0/jpeg' }))
  refused.push(await post(path, { nonce: next.nonce, ...recording }))
  for (const { status } of refused) assert.ok(status >= 400, String(status))

  const exported = await app.app.inject(`/v1/vat/humans/${human_ref}/export`)
  const own = await app.get(`/v1/vat/auth/biometrics/${human_ref}/export`)
  const metrics = await app.app.inject('/metrics')
  assert.equal(metrics.statusCode, 200)
  // A refusal may repeat words of its own request. No other answer may.
  const answers = heard.filter((answer) => !refused.includes(answer)).map(({ body }) => JSON.stringify(body))
  const places = {
    files: filesOf(app),
    rows: await rowsOf(app),
    leaves: await app.leafTexts(),
    log,
    answers,
    exports: [exported.body, JSON.stringify(own.body)],
    metrics: [metrics.body],
  }
  assert.ok(places.log.length > 0, 'the log was listened to')
  for (const [place, texts] of Object.entries(places))
    for (const form of FORMS) assert.ok(!texts.some((text) => text.includes(form)), `${place} hold ${form}`)
})

test('the search finds each form of a word', () => {
  for (const word of Object.values(WORDS))
    for (const shift of [0, 1, 2]) {
      const encoded = Buffer.from(`${'x'.repeat(shift)}${word}and more`).toString('base64')
      assert.ok(
        formsOf(word).some((form) => encoded.includes(form)),
        `${word} at ${shift}`,
      )
    }
})
