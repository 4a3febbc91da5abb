import { PCM_WORKLET } from './pcm-worklet.ts'

/** Sound of a microphone as 16-bit samples. */
export interface Microphone {
  /** Records from `shown_at` on until `stop`. Times are those of performance.now(). */
  record(shown_at: number): { stop(): RecordedSound }
  close(): Promise<void>
}

export interface RecordedSound {
  readonly t0_ms: number
  readonly pcm16: Uint8Array<ArrayBuffer>
}

/** `script` is the address of this very script, which the audio thread loads too. */
export async function openMicrophone(
  stream: MediaStream,
  sample_rate: number,
  script: string,
): Promise<Microphone> {
  const context = new AudioContext({ sampleRate: sample_rate })
  await context.audioWorklet.addModule(script)
  await context.resume()
  const worklet = new AudioWorkletNode(context, PCM_WORKLET, { numberOfOutputs: 0 })
  context.createMediaStreamSource(stream).connect(worklet)
  let onBatch: (batch: Float32Array) => void = () => {}
  worklet.port.onmessage = ({ data }) => onBatch(data)
  return {
    record(shown_at) {
      const batches: Float32Array[] = []
      let first_ms: number | undefined
      onBatch = (batch) => {
        const began_ms = performance.now() - (batch.length * 1000) / sample_rate
        if (began_ms < shown_at) return
        first_ms ??= began_ms - shown_at
        batches.push(batch)
      }
      return {
        stop() {
          onBatch = () => {}
          return { t0_ms: first_ms ?? 0, pcm16: toPcm16(batches) }
        },
      }
    },
    close: () => context.close(),
  }
}

function toPcm16(batches: readonly Float32Array[]): Uint8Array<ArrayBuffer> {
  const count = batches.reduce((sum, { length }) => sum + length, 0)
  const buffer = new ArrayBuffer(count * 2)
  const bytes = new DataView(buffer)
  let at = 0
  for (const batch of batches)
    for (const sample of batch) {
      bytes.setInt16(at, Math.max(-1, Math.min(1, sample)) * 32_767, true)
      at += 2
    }
  return new Uint8Array(buffer)
}
