import { PCM_WORKLET } from './pcm-worklet.ts'
import { SoundRecorder, type SoundRecording } from './sound-recorder.ts'

/** Microphone sound as 16-bit samples. */
export interface Microphone {
  /** Records from `shown_at`. Times are those of performance.now(). */
  record(shown_at: number): SoundRecording
  /** Calls back with the loudness of each batch, 0 to 1. */
  onLevel(call: (level: number) => void): void
  close(): Promise<void>
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
  return Object.assign(recorder, {
    async close() {
      source.disconnect()
      await context.close()
    },
  })
}

/** Browsers that can't change the rate of a microphone record at its own rate. The samples are converted afterwards. */
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

/** A node that hands over every batch. If the page's policy forbids the worklet's script, the page's thread does it. */
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
