/** The part of the script that runs on the audio thread. It hands every batch of samples to the page. */

/** The globals of the audio thread, which the types for pages lack. */
interface AudioThread {
  readonly AudioWorkletProcessor?: new () => { readonly port: MessagePort }
  readonly registerProcessor?: (name: string, processor: unknown) => void
}

export const PCM_WORKLET = 'deputy-pcm'
const BATCH = 512

/** Registers the worklet. Both the page and the audio thread load this script; only the latter has processors. */
export function registerPcmWorklet(): void {
  // Both members are optional, so a page, which has neither, fits too.
  const { AudioWorkletProcessor, registerProcessor } = globalThis as unknown as AudioThread
  if (AudioWorkletProcessor === undefined || registerProcessor === undefined) return
  registerProcessor(
    PCM_WORKLET,
    class extends AudioWorkletProcessor {
      #batch = new Float32Array(BATCH)
      #filled = 0

      process([input]: readonly (readonly Float32Array[])[]): boolean {
        const samples = input?.[0]
        if (samples === undefined) return true
        this.#batch.set(samples, this.#filled)
        this.#filled += samples.length
        if (this.#filled < BATCH) return true
        this.port.postMessage(this.#batch, [this.#batch.buffer])
        this.#batch = new Float32Array(BATCH)
        this.#filled = 0
        return true
      }
    },
  )
}
