/** The card with the QR code. It counts down, and gets a new code when one expires. */
import { isFinalRefusal } from './end-pages.ts'
import { ASK_AGAIN_MS, type PageCalls } from './page-calls.ts'
import { pageButton, pagePart } from './page-parts.ts'
import { qrCode } from './qr-code.ts'
import { type PageTexts, withValues } from './texts.ts'

const TICK_MS = 1_000
/** After this many renewals nobody is likely to be there: the person must ask for the next code. */
const MOST_RENEWALS = 4

export class CodeCard {
  readonly element: HTMLElement
  readonly #calls: PageCalls
  readonly #texts: PageTexts
  readonly #onTrouble: (error: unknown) => void
  readonly #picture = pagePart('div', 'qr')
  readonly #left = pagePart('p', 'dim')
  readonly #renew: HTMLButtonElement
  #ends_at: number | undefined
  #renewals = 0
  #isStopped = false
  #timer: ReturnType<typeof setInterval> | undefined

  constructor(calls: PageCalls, texts: PageTexts, onTrouble: (error: unknown) => void) {
    this.#calls = calls
    this.#texts = texts
    this.#onTrouble = onTrouble
    this.#renew = pageButton(texts.new_code, 'plain', () => this.#onRenew())
    this.#renew.hidden = true
    this.element = pagePart(
      'section',
      'card',
      pagePart('h2', '', texts.phone),
      pagePart('p', '', texts.phone_how),
      this.#picture,
      this.#left,
      this.#renew,
    )
  }

  start(): void {
    void this.#show()
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  stop(): void {
    this.#isStopped = true
    clearInterval(this.#timer)
  }

  #onRenew(): void {
    this.#renewals = 0
    void this.#show()
  }

  async #show(): Promise<void> {
    try {
      const { url, expires_in } = await this.#calls.transfer()
      this.#ends_at = performance.now() + expires_in * 1000
      this.#picture.replaceChildren(qrCode(url, this.#texts.code_label))
      this.#picture.classList.remove('over')
      this.#renew.hidden = true
      this.#tick()
    } catch (error) {
      if (isFinalRefusal(error)) this.#onTrouble(error)
      else this.#showLater()
    }
  }

  #showLater(): void {
    if (this.#isStopped) return
    this.#left.textContent = this.#texts.trouble
    setTimeout(() => this.#isStopped || void this.#show(), ASK_AGAIN_MS)
  }

  #tick(): void {
    if (this.#ends_at === undefined) return
    const left_s = Math.round((this.#ends_at - performance.now()) / 1000)
    const time = `${Math.floor(left_s / 60)}:${String(left_s % 60).padStart(2, '0')}`
    if (left_s > 0) this.#left.textContent = withValues(this.#texts.code_left, { time })
    else this.#onOver()
  }

  #onOver(): void {
    this.#ends_at = undefined
    if (document.visibilityState === 'visible' && this.#renewals < MOST_RENEWALS) {
      this.#renewals += 1
      void this.#show()
      return
    }
    this.#picture.classList.add('over')
    this.#left.textContent = this.#texts.code_over
    this.#renew.hidden = false
  }
}
