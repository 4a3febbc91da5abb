import { until } from './until.ts'

/** Samples of 16 bits that begin `t0_ms` after the step was shown. */
export interface RecordedSound {
  readonly t0_ms: number
  readonly pcm16: Uint8Array<ArrayBuffer>
}

export interface SoundRecording {
  /** Ends the recording and returns the sound until now, after waiting for what hasn't been handed over yet. */
  stop(): Promise<RecordedSound>
  /** Ends the recording and discards it. */
  drop(): void
}

/** A batch of samples, with its place in the sound since the microphone was opened. */
interface Batch {
  readonly samples: Float32Array
  /** How much sound came before it. */
  readonly start: number
  /** The latest moment at which the whole sound can have begun: a batch arrives at its end or later. */
  readonly begun: number
}

/** How far sound must fall behind to count as lost. Smaller gaps come from how batches are handed over. */
const LOST_MS = 100
/** How long a busy page may take to hand over the sound of a step. */
const LATE_MS = 400
const LOOK_EVERY_MS = 20

/**
 * Records the batches of a microphone. A busy page gets them late and many at once, so their times are computed from
 * the amount of sound: pictures and sound of a step must match.
 */
export class SoundRecorder {
  readonly #per_ms: number
  readonly #ratio: number
  #taken_ms = 0
  #batches: Batch[] | undefined
  #onLevel: (level: number) => void = () => {}

  constructor(rate: number, wanted_rate: number) {
    this.#per_ms = rate / 1000
    this.#ratio = rate / wanted_rate
  }

  onLevel(call: (level: number) => void): void {
    this.#onLevel = call
  }

  take(samples: Float32Array, now = performance.now()): void {
    this.#onLevel(Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length))
    const start = this.#taken_ms
    this.#taken_ms += samples.length / this.#per_ms
    this.#batches?.push({ samples, start, begun: now - this.#taken_ms })
  }

  record(shown_at: number): SoundRecording {
    const batches: Batch[] = []
    this.#batches = batches
    const drop = () => {
      if (this.#batches === batches) this.#batches = undefined // another recording may have begun
    }
    return {
      drop,
      stop: async () => {
        const end = performance.now()
        // Waiting lets a busy page take the batches that have arrived before it checks again.
        const isWhole = () => batches.length > 0 && beginningOf(batches) + this.#taken_ms >= end
        for (let late_ms = 0; late_ms < LATE_MS && !isWhole(); late_ms += LOOK_EVERY_MS)
          await until(end + late_ms)
        drop()
        return this.#soundOf(batches, shown_at, end)
      },
    }
  }

  /** Places each batch at its time. Sound that a busy machine lost becomes silence. */
  #soundOf(batches: readonly Batch[], shown_at: number, end: number): RecordedSound {
    let began = Number.NaN
    const heard = batches.flatMap(({ samples, start }, at) => {
      const latest = beginningOf(batches.slice(at))
      if (!(latest - began < LOST_MS)) began = latest
      const t_ms = began + start - shown_at
      return t_ms >= 0 && shown_at + t_ms < end ? { samples, t_ms } : []
    })
    const t0_ms = heard[0]?.t_ms ?? 0
    const placeOf = (t_ms: number) => Math.round((t_ms - t0_ms) * this.#per_ms)
    const whole = new Float32Array(heard.reduce((_, { samples, t_ms }) => placeOf(t_ms) + samples.length, 0))
    for (const { samples, t_ms } of heard) whole.set(samples, placeOf(t_ms))
    return { t0_ms, pcm16: toPcm16(whole, this.#ratio) }
  }
}

/** Sound falls behind but never gets ahead, so a batch that wasn't late also gives the time of those before it. */
function beginningOf(batches: readonly Batch[]): number {
  return Math.min(...batches.map(({ begun }) => begun))
}

/**
 * Converts to samples of 16 bits, in the byte order of every machine that browsers run on. `ratio` samples become one:
 * their mean, which also removes most of what the lower rate can't represent.
 */
function toPcm16(samples: Float32Array, ratio: number): Uint8Array<ArrayBuffer> {
  // Array lengths and positions truncate fractions.
  const levels = Int16Array.from({ length: samples.length / ratio }, (_, i) => {
    const part = samples.subarray(i * ratio, Math.max(i * ratio + 1, (i + 1) * ratio))
    const mean = part.reduce((sum, sample) => sum + sample, 0) / part.length
    return Math.max(-1, Math.min(1, mean)) * 32_767
  })
  return new Uint8Array(levels.buffer)
}
