import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { EngineError, MEDIA_LIMITS, type UploadedStep } from '../../src/contract.ts'
import { greyJpeg } from '../../src/eval/grey-jpeg.ts'
import { aFrame, anEnginePool, aStep, type EnginePool, outcomeOf } from './an-engine-pool.ts'

/** HOSTILE_STEPS changes the number. The readers of pictures and sound have their own tests with 10,000 inputs each. */
const STEPS = Number(process.env.HOSTILE_STEPS ?? 240)
const MEGABYTE = 1_048_576

describe('hostile media', () => {
  let pool: EnginePool
  let pid: number
  before(async () => {
    pool = await anEnginePool({ after() {} }, { deadline_ms: 60_000 })
    pid = await pool.warm()
  })
  after(() => pool.engine.close())

  const judge = (media: UploadedStep['media']) => pool.engine.analyseStep({ ...aStep(), media }, 'a')
  const hear = (pcm16: Uint8Array) =>
    pool.engine.analyseStep(
      {
        ...aStep(),
        step: { kind: 'speak', digits: '407185' },
        media: { ...frames(picture), sound: { t0_ms: 0, pcm16 } },
      },
      'a',
    )
  const frames = (...jpegs: (Uint8Array | string)[]) => ({ frames: jpegs.map((jpeg) => aFrame(jpeg)) })
  const picture = greyJpeg(320, 240)

  const REFUSED: readonly [string, UploadedStep['media'], string][] = [
    ['text that is not base64', frames('not base64!'), '/frames/0/jpeg'],
    ['an empty picture', frames(''), '/frames/0/jpeg'],
    [
      'a picture of another format',
      frames(picture, Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')),
      '/frames/1/jpeg',
    ],
    ['half a picture', frames(picture.subarray(0, 40)), '/frames/0/jpeg'],
    ['a picture that claims 65,000 pixels', frames(sized(picture, 65_000)), '/frames/0/jpeg'],
    ['a picture of 8 pixels', frames(greyJpeg(8, 8)), '/frames/0/jpeg'],
    ['two pictures in one', frames(Buffer.concat([picture, picture])), '/frames/0/jpeg'],
    ['too many frames', frames(...Array(MEDIA_LIMITS.frames_per_step + 1).fill(picture)), '/frames'],
    ['a frame that is too large', frames(Buffer.alloc(MEDIA_LIMITS.bytes_per_frame + 1)), '/frames/0/jpeg'],
    ['a step that is too large', frames(...Array(70).fill(Buffer.alloc(MEDIA_LIMITS.bytes_per_frame))), ''],
    ['a time that is not one', { frames: [{ t_ms: Number.NaN, jpeg: picture }] }, '/frames/0/t_ms'],
    [
      'frames out of order',
      {
        frames: [
          { t_ms: 90, jpeg: picture },
          { t_ms: 10, jpeg: picture },
        ],
      },
      '/frames/1/t_ms',
    ],
    ['half a sample', { frames: [], sound: { t0_ms: 0, pcm16: new Uint8Array(3) } }, '/sound/pcm16'],
    [
      'a sound that is too long',
      { frames: [], sound: { t0_ms: 0, pcm16: new Uint8Array(MEDIA_LIMITS.sound_ms_per_step * 32 + 2) } },
      '/sound/pcm16',
    ],
  ]
  for (const [what, media, pointer] of REFUSED)
    test(`${what} is refused at ${pointer === '' ? 'the media' : pointer}`, async () => {
      const error = await judge(media).catch((refused: unknown) => refused)
      assert.ok(error instanceof EngineError && error.code === 'bad_media', String(error))
      assert.equal(error.pointer, pointer)
    })

  test('too many frames in a capture are refused', async () => {
    const vision = {
      ...(await pool.engine.analyseStep(aStep(), 'a')).vision,
      frames: MEDIA_LIMITS.frames_per_capture,
    }
    const before = { ...(await pool.engine.analyseStep(aStep(), 'a')), vision }
    assert.equal(await outcomeOf(pool.engine.analyseStep({ ...aStep(), prior: [before] }, 'a')), 'bad_media')
  })

  test('an error contains nothing from the media', async () => {
    const canary = 'canary-in-the-media'
    const marked = Buffer.concat([picture.subarray(0, 30), Buffer.from(canary)])
    const error = await judge(frames(marked)).catch((refused: unknown) => refused)
    assert.doesNotMatch(JSON.stringify([error, String(error), pool.events]), new RegExp(canary))
  })

  test('changed bytes neither end the process nor make its memory grow', async () => {
    const outcomes = { picture: new Set<string>(), sound: new Set<string>() }
    const send = async (steps: number) => {
      for (let step = 0; step < steps; step += 1)
        outcomes.picture.add(await outcomeOf(judge(frames(changed(picture, step)))))
      for (let step = 0; step < steps / 4; step += 1)
        outcomes.sound.add(await outcomeOf(hear(cut(changed(HUM, step), step))))
    }
    await send(STEPS / 4)
    const settled = residentBytes(pid)
    await send(STEPS)
    for (const seen of Object.values(outcomes)) assert.deepEqual([...seen].sort(), ['analysed', 'bad_media'])
    assert.ok(residentBytes(pid) < settled + 48 * MEGABYTE, `${settled} to ${residentBytes(pid)}`)
    assert.ok(!pool.events.some((event) => event.kind === 'process' && event.change !== 'started'))
  })
})

/** One second of a low tone. */
const HUM = Buffer.from(
  Int16Array.from({ length: 16_000 }, (_, at) => 9000 * Math.sin(at / 20) * Math.sin(at / 900)).buffer,
)

/** Returns the sound without its end, sometimes cut in the middle of a sample. */
function cut(sound: Buffer, seed: number): Buffer {
  return sound.subarray(0, sound.length - (seed % 4))
}

/** Returns the picture with some bytes changed, always the same ones for the same seed. */
function changed(jpeg: Buffer, seed: number): Buffer {
  const copy = Buffer.from(jpeg)
  let state = seed + 1
  for (let change = 0; change <= seed % 7; change += 1) {
    state = (state * 48_271) % 2_147_483_647
    copy[state % copy.length] = (state >> 8) & 0xff
  }
  return copy
}

/** Returns the same picture with a header that claims to be a square of this size. */
function sized(jpeg: Buffer, side: number): Buffer {
  const copy = Buffer.from(jpeg)
  const header = copy.indexOf(Buffer.from([0xff, 0xc0]))
  copy.writeUInt16BE(side, header + 5)
  copy.writeUInt16BE(side, header + 7)
  return copy
}

function residentBytes(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}
