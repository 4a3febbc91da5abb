/** The device that the link was opened on: it moves the session to a phone, or captures itself, and shows the result. */
import { CodeCard } from './code-card.ts'
import { isFinalRefusal, isRefusal, type PageEnd, showEnd, showRefusal } from './end-pages.ts'
import { keyOfWidget } from './link-secret.ts'
import {
  ASK_AGAIN_MS,
  type PageCalls,
  type PreviewedSession,
  pageCalls,
  type WatchedSession,
} from './page-calls.ts'
import { pageButton, pagePart, showPage } from './page-parts.ts'
import { type PageTexts, withValues } from './texts.ts'
import { showWidget } from './widget-place.ts'

export interface DesktopOptions {
  readonly session_id: string
  readonly calls: PageCalls
  readonly texts: PageTexts
}

/** The widget continues with the key that it keeps. The code that it opened with is used up, and not kept. */
const USED_CODE = 'used'

/** The screen that is shown. `here`: this device captures. */
type DesktopScreen = 'choice' | 'here' | 'moved' | 'again' | 'trouble' | 'end'

export class Desktop {
  readonly #options: DesktopOptions
  #session: PreviewedSession | undefined
  #screen: DesktopScreen = 'choice'
  #card: CodeCard | undefined

  constructor(options: DesktopOptions) {
    this.#options = options
  }

  async run(): Promise<void> {
    this.#session = await this.#options.calls.preview()
    const first = await this.#options.calls.watch()
    const end = endOf(first)
    if (end !== undefined) return this.#end(end)
    if (isPhone() && first.can_open) await this.#captureHere()
    else if (first.can_open) await this.#choose()
    else if (await this.#hasWidget()) this.#showWidget(USED_CODE)
    else this.#follow(first)
    await this.#watch(first)
  }

  get #title(): string {
    const { texts } = this.#options
    return this.#session?.purpose === 'enroll' ? texts.title_enroll : texts.title_verify
  }

  async #choose(): Promise<void> {
    const { calls, texts } = this.#options
    this.#card?.stop()
    this.#card = new CodeCard(calls, texts, (error) => this.#onTrouble(error))
    this.#screen = 'choice'
    const isExternal = this.#session !== undefined && this.#session.provider !== 'builtin'
    const here =
      isExternal || (await hasCamera())
        ? pageButton(texts.use_computer, '', () => void this.#captureHere())
        : pagePart('p', 'dim', texts.no_camera)
    const computer = pagePart('section', 'card', pagePart('h2', '', texts.computer), here)
    showPage(this.#title, ...this.#askedFor(), this.#card.element, computer, this.#cancelButton())
    this.#card.start()
  }

  /** Who asks, and for what. The widget repeats it on the capturing device before anything is recorded. */
  #askedFor(): HTMLElement[] {
    const { texts } = this.#options
    if (this.#session === undefined) return []
    const { asked_by, sentences } = this.#session
    if (asked_by.is_person) return [pagePart('p', 'lead', texts.asked_by_you)]
    const isPlain = sentences.length === 0
    const name = askerOf(asked_by)
    const said =
      name === undefined
        ? texts[isPlain ? 'asked_plain' : 'asked']
        : withValues(texts[isPlain ? 'asked_by_plain' : 'asked_by'], { name })
    const list = pagePart('ul', 'asked', ...sentences.map((sentence) => pagePart('li', '', sentence)))
    list.lang = 'en'
    return [pagePart('p', 'lead', said), ...(isPlain ? [] : [list])]
  }

  #cancelButton(): HTMLElement {
    return pagePart(
      'p',
      '',
      pageButton(this.#options.texts.cancel, 'plain', () => this.#cancel()),
    )
  }

  #cancel(): void {
    void this.#options.calls.cancel().then(() => this.#end('cancelled'), this.#onTrouble.bind(this))
  }

  async #captureHere(): Promise<void> {
    this.#card?.stop()
    try {
      const { transfer_code } = await this.#options.calls.transfer()
      this.#showWidget(transfer_code)
    } catch (error) {
      this.#onTrouble(error)
    }
  }

  /** Whether this page began to capture before it was reloaded, and no other device has since. */
  async #hasWidget(): Promise<boolean> {
    const { session_id } = this.#options
    const nonce = keyOfWidget(session_id)
    if (nonce === undefined) return false
    return pageCalls(session_id, { nonce })
      .preview()
      .then(
        () => true,
        () => false,
      )
  }

  #showWidget(transfer_code: string): void {
    this.#screen = 'here'
    const ends = {
      onVerified: () => this.#end('verified'),
      // The widget only cancels what it has opened.
      onCancelled: () => this.#cancel(),
    }
    showWidget(this.#title, { session_id: this.#options.session_id, transfer_code }, ends)
  }

  /** Shows each change until the session is over. */
  async #watch(first: WatchedSession): Promise<void> {
    let version: string | undefined = first.version
    while (this.#screen !== 'end') {
      try {
        const seen = await this.#options.calls.watch(version)
        version = seen.version
        this.#follow(seen)
      } catch (error) {
        if (isFinalRefusal(error)) return this.#onTrouble(error)
        // Without a version the next answer comes at once, and shows that the service is back.
        version = undefined
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      }
    }
  }

  #follow(seen: WatchedSession): void {
    if (this.#screen === 'end') return
    const end = endOf(seen)
    if (end !== undefined) this.#end(end)
    // The widget on this device shows its own progress, and offers another try.
    else if (this.#screen === 'here') return
    else if (seen.state === 'open') this.#showMoved(seen)
    else if (this.#screen === 'moved') this.#showAgain(seen)
    else if (this.#screen === 'trouble') void this.#choose()
  }

  #showMoved({ steps_done, steps_total }: WatchedSession): void {
    const { texts } = this.#options
    this.#card?.stop()
    const text = withValues(texts.steps, { done: String(steps_done), total: String(steps_total) })
    const bar = pagePart('progress', '')
    bar.max = Math.max(1, steps_total)
    bar.value = steps_done
    bar.setAttribute('aria-label', text)
    // A provider reports no steps.
    const progress = steps_total === 0 ? [] : [bar, pagePart('p', 'dim', text)]
    const parts = [pagePart('p', 'lead', texts.moved_how), ...progress, this.#cancelButton()]
    if (this.#screen === 'moved') document.getElementById('verify-me')?.replaceChildren(...parts)
    else showPage(texts.moved, ...parts)
    this.#screen = 'moved'
  }

  #showAgain({ reasons }: WatchedSession): void {
    const { texts } = this.#options
    this.#screen = 'again'
    const list = pagePart('ul', '', ...reasons.map((reason) => pagePart('li', '', reason)))
    list.lang = 'en'
    showPage(
      texts.again,
      pagePart('p', 'lead', texts.again_how),
      ...(reasons.length === 0 ? [] : [list]),
      pageButton(texts.start_over, '', () => void this.#choose()),
      this.#cancelButton(),
    )
  }

  #onTrouble(error: unknown): void {
    const { texts } = this.#options
    // A phone was faster: the next answer of the watch shows it.
    if (isRefusal(error) && error.code === 'session_taken') return
    this.#card?.stop()
    const isEnd = isFinalRefusal(error)
    this.#screen = isEnd ? 'end' : 'trouble'
    if (isEnd) showRefusal(error, false, texts)
    else showPage(texts.trouble, pagePart('p', 'lead', texts.trouble_how))
  }

  #end(end: PageEnd): void {
    if (this.#screen === 'end') return
    this.#screen = 'end'
    this.#card?.stop()
    const { session_id, texts } = this.#options
    const { purpose = 'verify', return_url } = this.#session ?? {}
    const session = { session_id, purpose, is_phone: false, ...(return_url !== undefined && { return_url }) }
    showEnd(end, session, texts)
  }
}

function endOf({ state, decision, can_open }: WatchedSession): PageEnd | undefined {
  if (state === 'judged' && decision === 'pass') return 'verified'
  if (state === 'judged') return can_open ? undefined : 'failed'
  return state === 'cancelled' || state === 'expired' ? state : undefined
}

/** A handheld device has no use for a QR code. */
function isPhone(): boolean {
  return matchMedia('(pointer: coarse) and (max-width: 50rem)').matches
}

async function hasCamera(): Promise<boolean> {
  const devices = (await navigator.mediaDevices?.enumerateDevices().catch(() => [])) ?? []
  return devices.some(({ kind }) => kind === 'videoinput')
}

/** May be undefined: the tenant that every service starts with says nothing about who asks. */
function askerOf({ name, tenant_name }: PreviewedSession['asked_by']): string | undefined {
  if (/^default$/i.test(tenant_name)) return name
  return name === undefined ? tenant_name : `${name} (${tenant_name})`
}
