import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type RecordedSound, SoundRecorder } from '../capture/sound-recorder.ts'

const RATE = 1000
const BATCH_MS = 40

/** A microphone on the test's clock, and the page that takes its batches. */
function aMicrophone() {
  const recorder = new SoundRecorder(RATE, RATE)
  const shown_at = performance.now() - 10_000
  return {
    recording: recorder.record(shown_at),
    /** Adds a batch of this loudness at `t_ms` of the step, which the page gets `late_ms` late. */
    hear(loudness: number, t_ms: number, late_ms = 0): void {
      const samples = new Float32Array(BATCH_MS).fill(loudness)
      recorder.take(samples, shown_at + t_ms + BATCH_MS + late_ms)
    },
  }
}

/** The time span in which the sound is this loud, in milliseconds of the step. */
function whenLoud({ t0_ms, pcm16 }: RecordedSound, loudness: number): [from: number, to: number] {
  const levels = Array.from(new Int16Array(pcm16.buffer), (level) => Math.round((level / 32_767) * 10) / 10)
  return [t0_ms + levels.indexOf(loudness), t0_ms + levels.lastIndexOf(loudness) + 1].map(Math.round) as [
    number,
    number,
  ]
}

describe('recorded sound', () => {
  test('keeps its own time, however late a busy page takes it', async () => {
    const { recording, hear } = aMicrophone()
    // The page is busy for 200 ms, then takes five batches at once.
    for (let t_ms = 0; t_ms < 200; t_ms += BATCH_MS) hear(0.1, t_ms, 200 - t_ms - BATCH_MS)
    hear(0.5, 200)
    for (let t_ms = 240; t_ms < 400; t_ms += BATCH_MS) hear(0.1, t_ms, 400 - t_ms - BATCH_MS)
    const sound = await recording.stop()
    assert.deepEqual(whenLoud(sound, 0.5), [200, 240])
    assert.deepEqual(whenLoud(sound, 0.1), [0, 400])
  })

  test('leaves out what was said before the step was shown', async () => {
    const { recording, hear } = aMicrophone()
    // The page was busy when the step began, and takes earlier batches only now.
    for (const t_ms of [-80, -40]) hear(0.3, t_ms, 80 - t_ms)
    for (const t_ms of [0, 40, 80]) hear(0.5, t_ms)
    const sound = await recording.stop()
    assert.deepEqual(whenLoud(sound, 0.5), [0, 120])
    assert.equal(sound.pcm16.length, 2 * 120)
  })

  test('is silent where the machine lost sound, and what follows keeps its time', async () => {
    const { recording, hear } = aMicrophone()
    for (const t_ms of [0, 40, 80]) hear(0.1, t_ms)
    for (const t_ms of [320, 360, 400]) hear(0.5, t_ms, t_ms === 320 ? 30 : 0)
    const sound = await recording.stop()
    assert.deepEqual(whenLoud(sound, 0.1), [0, 120])
    assert.deepEqual(whenLoud(sound, 0.5), [320, 440])
    assert.equal(sound.pcm16.length, 2 * 440)
  })

  test('is awaited at the end of a step, and later sound is left out', async () => {
    const recorder = new SoundRecorder(RATE, RATE)
    const shown_at = performance.now()
    const recording = recorder.record(shown_at - 200)
    const stopped = recording.stop()
    const late = new Float32Array(200).fill(0.5)
    setTimeout(() => {
      recorder.take(late, shown_at + 40)
      recorder.take(late, shown_at + 240)
    }, 40)
    const { t0_ms, pcm16 } = await stopped
    assert.ok(Math.abs(t0_ms - 40) < 1, `${t0_ms} ms`)
    assert.equal(pcm16.length, 2 * 200)
  })
})
