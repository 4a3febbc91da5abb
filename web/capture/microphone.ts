import { PCM_WORKLET } from './pcm-worklet.ts'

/** Sound of a microphone as 16-bit samples. */
export interface Microphone {
  /** Records from `shown_at` on until `stop`. Times are those of performance.now(). */
  record(shown_at: number): { stop(): RecordedSound }
  /** Calls back with the loudness of each batch, 0 to 1. */
  onLevel(call: (level: number) => void): void
  close(): Promise<void>
}

export interface RecordedSound {
  readonly t0_ms: number
  readonly pcm16: Uint8Array<ArrayBuffer>
}

/** `script` is the address of a script that registers the worklet, which the audio thread loads. */
export async function openMicrophone(
  stream: MediaStream,
  sample_rate: number,
  script: string,
): Promise<Microphone> {
  const { context, source } = openContext(stream, sample_rate)
  const recorder = new SoundRecorder(context.sampleRate, sample_rate)
  const node = await batchesOf(context, script, (batch) => recorder.take(batch))
  source.connect(node)
  await context.resume()
  return {
    record: (shown_at) => recorder.record(shown_at),
    onLevel: (call) => recorder.onLevel(call),
    async close() {
      source.disconnect()
      await context.close()
    },
  }
}

/** Browsers that cannot change the rate of a microphone record at its own. The samples are converted afterwards. */
function openContext(stream: MediaStream, sample_rate: number) {
  const wanted = new AudioContext({ sampleRate: sample_rate })
  try {
    return { context: wanted, source: wanted.createMediaStreamSource(stream) }
  } catch {
    void wanted.close()
    const context = new AudioContext()
    return { context, source: context.createMediaStreamSource(stream) }
  }
}

const FALLBACK_BATCH = 1024

/** A node that hands over every batch. Without a worklet, because the page's policy forbids its script, the page's own thread does it. */
async function batchesOf(
  context: AudioContext,
  script: string,
  take: (batch: Float32Array) => void,
): Promise<AudioNode> {
  try {
    await context.audioWorklet.addModule(script)
    const worklet = new AudioWorkletNode(context, PCM_WORKLET, { numberOfOutputs: 0 })
    worklet.port.onmessage = ({ data }) => take(data)
    return worklet
  } catch {
    const processor = context.createScriptProcessor(FALLBACK_BATCH, 1, 1)
    processor.onaudioprocess = ({ inputBuffer }) => take(inputBuffer.getChannelData(0).slice())
    // It runs only while it is connected. Its output is silence.
    processor.connect(context.destination)
    return processor
  }
}

class SoundRecorder {
  readonly #rate: number
  readonly #wanted_rate: number
  #recording: { shown_at: number; first_ms: number | undefined; batches: Float32Array[] } | undefined
  #onLevel: (level: number) => void = () => {}

  constructor(rate: number, wanted_rate: number) {
    this.#rate = rate
    this.#wanted_rate = wanted_rate
  }

  onLevel(call: (level: number) => void): void {
    this.#onLevel = call
  }

  take(batch: Float32Array): void {
    this.#onLevel(Math.sqrt(batch.reduce((sum, sample) => sum + sample * sample, 0) / batch.length))
    const recording = this.#recording
    if (recording === undefined) return
    const began_ms = performance.now() - (batch.length * 1000) / this.#rate
    if (began_ms < recording.shown_at) return
    recording.first_ms ??= began_ms - recording.shown_at
    recording.batches.push(batch)
  }

  record(shown_at: number): { stop(): RecordedSound } {
    const recording = { shown_at, first_ms: undefined, batches: [] as Float32Array[] }
    this.#recording = recording
    return {
      stop: () => {
        if (this.#recording === recording) this.#recording = undefined
        const { first_ms, batches }: { first_ms: number | undefined; batches: Float32Array[] } = recording
        return { t0_ms: first_ms ?? 0, pcm16: toPcm16(batches, this.#rate / this.#wanted_rate) }
      },
    }
  }
}

/** Samples of 16 bits. `ratio` samples become one: their mean, which also removes most of what the lower rate cannot hold. */
function toPcm16(batches: readonly Float32Array[], ratio: number): Uint8Array<ArrayBuffer> {
  const whole = new Float32Array(batches.reduce((sum, { length }) => sum + length, 0))
  let filled = 0
  for (const batch of batches) {
    whole.set(batch, filled)
    filled += batch.length
  }
  const count = Math.floor(whole.length / ratio)
  const bytes = new DataView(new ArrayBuffer(count * 2))
  for (let i = 0; i < count; i++) {
    const part = whole.subarray(
      Math.floor(i * ratio),
      Math.max(Math.floor(i * ratio) + 1, Math.floor((i + 1) * ratio)),
    )
    const mean = part.reduce((sum, sample) => sum + sample, 0) / part.length
    bytes.setInt16(i * 2, Math.max(-1, Math.min(1, mean)) * 32_767, true)
  }
  return new Uint8Array(bytes.buffer)
}
