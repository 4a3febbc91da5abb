/** The parts of the widget that stay while screens change: a video that leaves the document stops playing. */

import { element, svgElement } from './dom.ts'

const OVAL = { cx: 50, cy: 48, rx: 23, ry: 41 }

export class WidgetFrame {
  readonly video = element('video', {
    attributes: { playsinline: true, 'aria-hidden': 'true', tabindex: -1 },
  })
  readonly body = element('div', { class: 'body' })
  readonly cancel = element('button', { class: 'quiet', attributes: { type: 'button' } })
  /** Covers the page and lights the face. A calm field in its middle keeps the changing colours out of the centre of view. */
  readonly light = element('div', { class: 'light', attributes: { hidden: true, 'aria-hidden': 'true' } })
  readonly #calm = element('div', { class: 'calm' })
  readonly #bar = element('i')
  readonly #count = element('p', { class: 'count' })
  readonly #stage: HTMLElement
  readonly #hint = element('span')
  readonly #countIn = element('div', { class: 'count-in', attributes: { 'aria-hidden': 'true' } })
  readonly #time = element('i')
  readonly #timeBar = element('div', { class: 'time', attributes: { hidden: true } }, this.#time)
  readonly #spoken = element('div', {
    class: 'spoken',
    attributes: { role: 'status', 'aria-live': 'polite' },
  })
  readonly #card: HTMLElement

  constructor(root: ShadowRoot) {
    this.video.muted = true
    this.light.append(this.#calm)
    this.light.popover = 'manual'
    const chip = element('p', { class: 'chip' }, this.#hint)
    this.#stage = element(
      'div',
      { class: 'stage', attributes: { hidden: true } },
      this.video,
      oval(),
      this.#countIn,
      chip,
      this.#timeBar,
    )
    const bar = element('div', { class: 'bar', attributes: { 'aria-hidden': 'true' } }, this.#bar)
    const top = element('div', { class: 'top' }, bar, this.#count, this.cancel)
    this.#card = element('div', { class: 'card', attributes: { role: 'group' } }, top, this.#stage, this.body)
    root.append(this.#card, this.#spoken, this.light)
  }

  set label(text: string) {
    this.#card.setAttribute('aria-label', text)
  }

  set language(language: string) {
    this.#card.lang = language
    this.#spoken.lang = language
  }

  /** Shows the share that is done. Undefined before there is anything to do. */
  share(share: number | undefined): void {
    this.#bar.parentElement?.classList.toggle('idle', share === undefined)
    this.#bar.style.width = `${Math.round((share ?? 0) * 100)}%`
  }

  count(words: string): void {
    this.#count.textContent = words
  }

  /** Shows the loudness, 0 to 1, if the screen has a bar for it. */
  level(level: number): void {
    const bar = this.body.querySelector<HTMLElement>('.level i')
    if (bar !== null) bar.style.transform = `scaleX(${level})`
  }

  /** Shows a problem with a recording below the step. Undefined hides it. */
  trouble(words: string | undefined): void {
    const line = this.body.querySelector<HTMLElement>('.trouble')
    if (line === null) return
    line.hidden = words === undefined
    line.textContent = words ?? ''
    if (words !== undefined) this.say(words)
  }

  focusHeading(): void {
    this.body.querySelector('h2')?.focus({ preventScroll: true })
  }

  /** `state` colours the oval, and `words` say the same. Undefined hides the picture. */
  stage(state: 'waiting' | 'ready' | 'recording' | undefined, words = ''): void {
    this.#stage.hidden = state === undefined
    this.#stage.className = `stage ${state ?? ''}`
    if (this.#hint.textContent !== words) this.#hint.textContent = words
  }

  countIn(words: string): void {
    this.#countIn.textContent = words
  }

  /** Shows a bar that runs out during a recording. Undefined hides it. */
  time(duration_ms: number | undefined): void {
    for (const animation of this.#time.getAnimations()) animation.cancel()
    this.#timeBar.hidden = duration_ms === undefined
    if (duration_ms !== undefined)
      this.#time.animate([{ transform: 'scaleX(1)' }, { transform: 'scaleX(0)' }], {
        duration: duration_ms,
        fill: 'forwards',
      })
  }

  /** Announces a text to screen readers, but not twice in a row. */
  say(words: string): void {
    if (this.#spoken.textContent !== words) this.#spoken.textContent = words
  }

  /** Puts the light above everything on the page, if the browser can. */
  raiseLight(words: string): void {
    this.#calm.textContent = words
    if ('showPopover' in this.light) this.light.showPopover()
  }

  lowerLight(): void {
    this.light.hidden = true
    if ('hidePopover' in this.light && this.light.matches(':popover-open')) this.light.hidePopover()
  }
}

function oval(): SVGElement {
  const { cx, cy, rx, ry } = OVAL
  const hole = `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`
  return svgElement(
    'svg',
    { class: 'oval', viewBox: '0 0 100 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    svgElement('path', { class: 'shade', 'fill-rule': 'evenodd', d: `M0 0h100v100H0z${hole}` }),
    svgElement('path', { class: 'ring', d: hole }),
  )
}
