import { WidgetFlow } from './flow.ts'
import type { FlowState } from './flow-state.ts'
import { WidgetFrame } from './frame.ts'
import { languageFor } from './locales/texts.ts'
import { sessionCalls } from './session-calls.ts'
import { addStyle } from './style.ts'

/** Each of these attributes is also a property. */
const PROPERTIES = ['session', 'token', 'locale', 'theme'] as const
const ATTRIBUTES = ['session', 'token', 'transfer-code', 'base-url', 'locale'] as const

/** Defines `<deputy-verify>` if there are elements. A server and the audio thread have none. */
export function defineDeputyVerify(script: string): void {
  if (globalThis.customElements === undefined || customElements.get('deputy-verify') !== undefined) return
  const element = deputyVerify(script)
  for (const name of PROPERTIES) reflect(element.prototype, name)
  customElements.define('deputy-verify', element)
}

/** A property with the value of the attribute. Frameworks set whichever they find. */
function reflect(prototype: HTMLElement, name: string): void {
  Object.defineProperty(prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: HTMLElement) {
      return this.getAttribute(name) ?? ''
    },
    set(this: HTMLElement, value: unknown) {
      if (value === undefined || value === null) this.removeAttribute(name)
      else this.setAttribute(name, String(value))
    },
  })
}

function deputyVerify(script: string): CustomElementConstructor {
  return class DeputyVerifyElement extends HTMLElement {
    static readonly observedAttributes: readonly string[] = ATTRIBUTES
    // Closed, so that the page can't reach the video by accident or with a line of script.
    readonly #root = this.attachShadow({ mode: 'closed' })
    #flow: WidgetFlow | undefined
    #isQueued = false

    connectedCallback(): void {
      for (const name of PROPERTIES) this.#upgrade(name)
      this.#begin()
    }

    /** Releases camera and microphone at once. An element that is only moved starts over in its new place. */
    disconnectedCallback(): void {
      this.#end()
    }

    attributeChangedCallback(name: string, before: string | null, now: string | null): void {
      if (before === now || !this.isConnected) return
      if (name === 'locale' && this.#flow !== undefined) this.#flow.language = this.#language()
      else this.#begin()
    }

    /** A property that was set before the script loaded hides the one defined here. */
    #upgrade(name: string): void {
      const given: unknown = Object.getOwnPropertyDescriptor(this, name)?.value
      if (given === undefined) return
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, given)
    }

    /** Frameworks set several attributes in a row, which together start one flow. */
    #begin(): void {
      this.#end()
      if (this.#isQueued) return
      this.#isQueued = true
      queueMicrotask(() => {
        this.#isQueued = false
        if (this.isConnected && this.#flow === undefined) this.#run()
      })
    }

    #run(): void {
      const session_id = this.getAttribute('session') ?? ''
      const client_token = this.getAttribute('token') ?? undefined
      const transfer_code = this.getAttribute('transfer-code') ?? undefined
      if (session_id === '' || (client_token === undefined && transfer_code === undefined)) return
      const base_url = this.#baseUrl()
      this.#root.replaceChildren()
      addStyle(this.#root)
      this.#flow = new WidgetFlow({
        calls: sessionCalls({ base_url, session_id, client_token, transfer_code }),
        frame: new WidgetFrame(this.#root),
        language: this.#language(),
        worklet_script: workletScript(script, base_url),
        is_elsewhere: client_token === undefined,
        onScreen: (state) => this.#tell(session_id, state),
      })
    }

    #end(): void {
      this.#flow?.close()
      this.#flow = undefined
    }

    /** The service that the script comes from, unless the page names another. */
    #baseUrl(): string {
      const given = this.getAttribute('base-url')
      return given === null
        ? new URL(script).origin
        : new URL(given, document.baseURI).href.replace(/\/+$/, '')
    }

    #language() {
      const wanted = this.getAttribute('locale') ?? this.closest('[lang]')?.getAttribute('lang')
      return languageFor(wanted === null || wanted === undefined ? navigator.languages : [wanted])
    }

    #tell(session_id: string, { screen, opened, steps_done, result }: Readonly<FlowState>): void {
      const steps_total = opened?.steps_total ?? 0
      this.#dispatch('progress', { session_id, screen: screen.name, steps_done, steps_total })
      if (screen.name === 'done' && result !== undefined) {
        const { verification_id, human_ref, assurance_level, token } = result
        this.#dispatch('verified', { session_id, verification_id, human_ref, assurance_level, token })
      }
      if (screen.name === 'failed') {
        const { code, reasons } = screen
        this.#dispatch('failed', { session_id, code, reasons })
      }
      if (screen.name === 'cancelled') this.#dispatch('cancelled', { session_id })
    }

    #dispatch(type: string, detail: object): void {
      this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }))
    }
  }
}

/** If the page bundles the widget, its script doesn't work on the audio thread, so the service's own script is used. */
function workletScript(script: string, base_url: string): string {
  return /\/widget(-[\w.]+)?\.js$/.test(new URL(script).pathname) ? script : `${base_url}/widget.js`
}
