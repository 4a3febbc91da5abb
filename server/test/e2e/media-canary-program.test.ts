import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { anEngine } from '@deputize/testing/an-engine.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { aPuppet } from '@deputize/testing/puppet/a-puppet.ts'
import { puppetRecording, type ShownStep } from '@deputize/testing/puppet/puppet-engine.ts'
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

/** A word as it is, and in base64 at each of its three alignments. */
function formsOf(word: string): string[] {
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(' '.repeat(shift) + word)
      .toString('base64')
      .slice(shift === 0 ? 0 : 4, -4),
  )
  return [word, ...shifted]
}

const FORMS = Object.values(WORDS).flatMap(formsOf)

const puppet = await aPuppet({ avatar: 10, voice: 'anna', seed: 1 })

/** What a person does, with a word in every place that takes bytes or texts. */
async function markedRecording(step: ShownStep) {
  const { frames, ...rest } = await puppetRecording(puppet, step)
  const pcm16 = Buffer.alloc(32_000)
  for (const at of [1000, 8001]) pcm16.write(WORDS.sound, at)
  return {
    ...rest,
    frames: frames.map(({ t_ms, jpeg }) => ({ t_ms, jpeg: marked(jpeg) })),
    audio: { t0_ms: 0, pcm16: pcm16.toString('base64') },
    device: { video_label: WORDS.label },
  }
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
}

const NEUTRAL = { step_id: 'st_1', kind: 'neutral', duration_ms: 1500 } as const

test('the started program with the real engine keeps nothing of a recording in files, output, metrics, log or export', {
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
  // Recorded beforehand: the first step is always the same, and a busy machine draws slowly.
  const recording = await markedRecording(NEUTRAL)
  const answers: string[] = []
  const call = async (path: string, body?: object, method = body === undefined ? 'GET' : 'POST') => {
    const response = await fetch(`${program.url}${path}`, {
      method,
      // A connection that is kept may be closed while this process draws pictures.
      headers: { 'content-type': 'application/json', connection: 'close' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    answers.push(text)
    return { status: response.status, text }
  }
  const opened = await call('/v1/vat/auth/sessions', {
    purpose: 'enroll',
    consent: { version: '1' },
    developer_email: 'alice@example.com',
  })
  assert.equal(opened.status, 201, opened.text)
  const { session_id, nonce, human_ref, step } = JSON.parse(opened.text)
  const session = `/v1/vat/auth/sessions/${session_id}`

  assert.equal(step.step_id, NEUTRAL.step_id)
  // Refused as long as nobody can have recorded it, and while the engine starts on a busy machine.
  const answered = async (body: object) => {
    let answer = ''
    await eventually('an answer to the step', async () => {
      answer = (await call(`${session}/steps`, { nonce, ...body })).text
      return !['answer_early', 'engine_busy'].includes(JSON.parse(answer).code)
    })
    return JSON.parse(answer)
  }
  const taken = await answered(recording)
  assert.equal(taken.accepted, true, JSON.stringify(taken))
  const [first] = recording.frames
  const cut = Buffer.from(first?.jpeg ?? '', 'base64').subarray(0, 900)
  const broken = { ...recording, frames: [{ t_ms: 0, jpeg: cut.toString('base64') }], audio: undefined }
  const { code } = await answered({ ...broken, step_id: taken.step.step_id })
  assert.equal(code, 'media_invalid')
  assert.equal((await answered({ ...recording, step_id: 'st_9' })).code, 'step_mismatch')

  const metrics = await call('/metrics')
  assert.equal(metrics.status, 200)
  await call(`/v1/vat/humans/${human_ref}/export`)
  await call('/v1/vat/log/entries?start=0&limit=100')
  const whileOpen = filesBelow(data_dir).map((file) => readFileSync(file, 'latin1'))
  await program.stop()

  const files = filesBelow(data_dir).map((file) => readFileSync(file, 'latin1'))
  assert.ok(files.length > 0)
  assert.ok(program.output().length > 0)
  for (const [place, texts] of Object.entries({ whileOpen, files, answers, output: [program.output()] }))
    for (const form of FORMS) assert.ok(!texts.some((text) => text.includes(form)), `${place} hold ${form}`)
  assert.deepEqual(filesBelow(temporary), [])
})

test('the marks are in what is sent', async () => {
  const sent = JSON.stringify(await markedRecording(NEUTRAL))
  for (const word of Object.values(WORDS))
    assert.ok(
      formsOf(word).some((form) => sent.includes(form)),
      word,
    )
})
