import { OPERATIONS, type OperationId } from '@deputize/protocol'
import { escapeHtml, readableHtml } from '../pages/html.ts'

/** A call that a button makes. The page's script sends it, and first gets it confirmed if the tenant requires that. */
export interface PageAction {
  readonly operation: OperationId
  readonly params?: Readonly<Record<string, string>>
  readonly body?: Readonly<Record<string, unknown>>
}

export interface Button {
  readonly label: string
  /** What the label is about, for screen readers. */
  readonly about: string
  readonly done: string
  /** What a person who was signed out is asked to sign in for: `stop Shopping assistant`. */
  readonly deed: string
  readonly look?: 'bad' | 'stop' | 'plain'
  /** A question that the person must confirm first. */
  readonly question?: string
  /** Prompt for a text that is sent with the call as its `note`. */
  readonly note?: string
  /** Label of the button that confirms the question. */
  readonly yes?: string
  /** Tokens that the call revokes. The question shows what stops with them. */
  readonly stops?: { readonly name: string; readonly tokens: readonly string[] }
  /** The call is sent after five seconds, in which the person can undo it. */
  readonly undo?: true
  /** Reloads the whole page afterwards, not only its live parts. */
  readonly reload?: true
}

export function button(actions: readonly PageAction[], options: Button): string {
  const { label, about, done, deed, look, question, note, yes, stops, undo, reload } = options
  const calls = actions.map(({ operation, params, body }) => {
    const { method, path } = OPERATIONS[operation]
    return {
      operation,
      method,
      path: operationPath(path, params),
      ...(params && { params }),
      ...(body && { body }),
    }
  })
  const data = [
    `data-calls="${escapeHtml(JSON.stringify(calls))}"`,
    `data-done="${readableHtml(done)}"`,
    `data-deed="${readableHtml(deed)}"`,
    ...(question === undefined ? [] : [`data-question="${readableHtml(question)}"`]),
    ...(note === undefined ? [] : [`data-note="${readableHtml(note)}"`]),
    ...(yes === undefined ? [] : [`data-yes="${readableHtml(yes)}"`]),
    ...(stops === undefined
      ? []
      : [
          `data-stops="${escapeHtml(JSON.stringify(stops.tokens))}"`,
          `data-name="${readableHtml(stops.name)}"`,
        ]),
    ...(undo === undefined ? [] : ['data-undo']),
    ...(reload === undefined ? [] : ['data-reload']),
  ]
  const hidden = about === '' ? '' : `<span class="hidden"> ${readableHtml(about)}</span>`
  return `<button type="button"${look === undefined ? '' : ` class="${look}"`} ${data.join(' ')}>${label}${hidden}</button>`
}

export function operationPath(path: string, params: PageAction['params']): string {
  return path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params?.[name] ?? ''))
}

/** The dialog in which the script asks for confirmation. */
export const CONFIRM_DIALOG = `<dialog id="confirm" aria-labelledby="confirm-title">
<h2 id="confirm-title">Confirm</h2>
<div id="confirm-words"></div>
<p class="choice"><button type="button" id="confirm-yes">Confirm</button><button type="button" class="plain" id="confirm-no">Cancel</button></p>
</dialog>
<div id="status" role="status"></div>`
