/** Sounds and spoken instructions. None of them plays while a step is recorded. */

const TONES = { ready: 660, done: 880 } as const
const TONE_S = 0.12
const LOUDNESS = 0.06

export class Voice {
  #context: AudioContext | undefined

  /** Plays a short tone. Silent if the browser doesn't allow sound. */
  tone(kind: keyof typeof TONES): void {
    this.#context ??= new AudioContext()
    const { destination, currentTime } = this.#context
    const gain = this.#context.createGain()
    gain.gain.setValueAtTime(LOUDNESS, currentTime)
    gain.gain.exponentialRampToValueAtTime(0.001, currentTime + TONE_S)
    const oscillator = this.#context.createOscillator()
    oscillator.frequency.value = TONES[kind]
    oscillator.connect(gain).connect(destination)
    oscillator.start()
    oscillator.stop(currentTime + TONE_S)
  }

  say(words: string, language: string): void {
    if (!('speechSynthesis' in globalThis)) return
    this.hush()
    const utterance = new SpeechSynthesisUtterance(words)
    utterance.lang = language
    speechSynthesis.speak(utterance)
  }

  /** Stops speech, which a microphone would record. */
  hush(): void {
    if ('speechSynthesis' in globalThis) speechSynthesis.cancel()
  }

  close(): void {
    this.hush()
    void this.#context?.close()
    this.#context = undefined
  }
}
