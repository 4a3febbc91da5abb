import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { answerSession, DeputyError, deputy } from '@deputize/sdk'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { aReadyPuppet } from '@deputize/testing/puppet/a-ready-puppet.ts'
import { puppetCamera, type ShownStep } from '@deputize/testing/puppet/puppet-engine.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const COMMENT = 0xfe
const EXIF = 0xe1
const WORDS = {
  comment: 'canary-in-a-comment',
  exif: 'canary-in-the-exif',
  sound: 'canary-in-the-sound',
  label: 'canary-in-the-label',
}

/** A JPEG with one more segment after its first two bytes. */
function withSegment(jpeg: Buffer, marker: number, text: string): Buffer {
  const content = Buffer.from(text)
  const length = content.length + 2
  const segment = Buffer.from([0xff, marker, length >> 8, length & 255])
  return Buffer.concat([jpeg.subarray(0, 2), segment, content, jpeg.subarray(2)])
}

function marked(jpeg: string): string {
  const exif = withSegment(Buffer.from(jpeg, 'base64'), EXIF, `Exif\0\0${WORDS.exif}`)
  return withSegment(exif, COMMENT, WORDS.comment).toString('base64')
}

/** A word in plain text, and in base64 at each of its three alignments. */
function formsOf(word: string): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + word)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [word, ...shifted]
}

const FORMS = Object.values(WORDS).flatMap(formsOf)

const film = puppetCamera(await aReadyPuppet())
/** Steps without speech are sent with sound too, which the service ignores. */
const SILENCE = { t0_ms: 0, pcm16: Buffer.alloc(32_000).toString('base64') }

/** Films a step, with a canary in every place that accepts bytes or text. */
async function markedCamera(step: ShownStep) {
  const { frames, audio = SILENCE } = await film(step)
  const pcm16 = Buffer.from(audio.pcm16, 'base64')
  for (const at of [1000, 8001]) pcm16.write(WORDS.sound, at)
  return {
    frames: frames.map(({ t_ms, jpeg }) => ({ t_ms, jpeg: marked(jpeg) })),
    audio: { t0_ms: audio.t0_ms, pcm16: pcm16.toString('base64') },
    device: { video_label: WORDS.label },
  }
}

const NEUTRAL = { step_id: 'st_1', kind: 'neutral', duration_ms: 1500 } as const
/** On a busy machine, judging a step may take a long time. */
const PATIENCE_MS = 150_000
const SESSIONS_MAX = 4

test('the program leaves nothing of a judged recording in files, output, metrics, log or export', {
  timeout: 600_000,
}, async (context) => {
  const data_dir = temporaryDirectory(context)
  const temporary = join(temporaryDirectory(context), 'tmp')
  mkdirSync(temporary)
  const program = await aProgram(context, data_dir, {
    TMPDIR: temporary,
    DEPUTY_ENGINE_DIR: await anEngine(),
    DEPUTY_ENGINE_PROCESSES: '1',
    DEPUTY_L3_PASSKEY: 'optional',
  })
  const answers: string[] = []
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${program.url}${path}`, init)
    const text = await response.clone().text()
    answers.push(text)
    return response
  }
  const client = deputy({
    url: program.url,
    timeout_ms: PATIENCE_MS,
    fetch: (request, init) => call(String(request).slice(program.url.length), init),
  })
  const consent = { version: (await client.getConsent()).version }
  const opening = { purpose: 'enroll', consent, developer_email: 'alice@example.com' } as const

  /**
   * Opens a new session, as the service advises, if the machine was too slow for a step or the digits weren't
   * understood. The digits are random, and the canaries in the sound are clicks that may mask one.
   */
  async function enrolled() {
    for (let left = SESSIONS_MAX; ; left--)
      try {
        const session = await client.createVerificationSession(opening)
        const { session_id, nonce } = await answerSession(client, session, markedCamera)
        const result = await client.enroll({ session_id, nonce })
        const failed = result.modalities.filter(({ passed }) => passed === false).map(({ name }) => name)
        if (result.enrolled || failed.join() !== 'speech_match' || left === 1) return result
      } catch (error) {
        if (!(error instanceof DeputyError && error.code === 'answer_late') || left === 1) throw error
      }
  }
  const { enrolled: isEnrolled, human_ref, modalities } = await enrolled()
  assert.equal(isEnrolled, true, JSON.stringify(modalities))

  const { session_id: id, nonce, step, capture } = await client.createVerificationSession(opening)
  const recording = await markedCamera(step)
  const [first] = recording.frames
  const cut = Buffer.from(first?.jpeg ?? '', 'base64').subarray(0, 900)
  const broken = { ...recording, frames: [{ t_ms: 0, jpeg: cut.toString('base64') }] }
  await delay(capture.lead_ms)
  const answer = (step_id: string, sent: object) =>
    client.answerStep({ id, nonce, step_id, ...recording, ...sent })
  await assert.rejects(answer(step.step_id, broken), { code: 'media_invalid' })
  await assert.rejects(answer('st_9', {}), { code: 'step_mismatch' })

  for (const path of [
    '/metrics',
    `/v1/vat/humans/${human_ref}/export`,
    '/v1/vat/log/entries?start=0&limit=100',
  ])
    assert.equal((await call(path)).status, 200, path)
  const whileOpen = filesBelow(data_dir).map(({ bytes }) => bytes.toString('latin1'))
  await program.stop()

  const files = filesBelow(data_dir).map(({ bytes }) => bytes.toString('latin1'))
  assert.ok(files.length > 0)
  assert.ok(program.output().length > 0)
  for (const [place, texts] of Object.entries({ whileOpen, files, answers, output: [program.output()] }))
    for (const form of FORMS) assert.ok(!texts.some((text) => text.includes(form)), `${place} hold ${form}`)
  assert.deepEqual(filesBelow(temporary), [])
})

test('the canaries are in what is sent', async () => {
  const sent = JSON.stringify(await markedCamera(NEUTRAL))
  for (const word of Object.values(WORDS))
    assert.ok(
      formsOf(word).some((form) => sent.includes(form)),
      word,
    )
})
