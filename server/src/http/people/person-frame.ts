/** What a signed-in person's pages have in common: the frame, times, names and cards. */
import type { HumanCaller } from '../../access/caller.ts'
import { instantText } from '../../messages/words.ts'
import { escapeHtml, readableHtml } from '../pages/html.ts'
import { INSTALLABLE } from '../pages/installable.ts'
import { CONFIRM_DIALOG } from './page-button.ts'
import { PEOPLE_STYLE } from './people-style.ts'

export interface PersonFrame {
  readonly title: string
  /** Number of waiting questions. The tab title begins with it. */
  readonly waiting: number
  /** Who is signed in, as text for the header. */
  readonly account: string
  /** The size of the log that the page reflects. */
  readonly log_size: number
  readonly now_ms: number
  /** Registered names of agents, for the script's questions. */
  readonly names?: ReadonlyMap<string, string>
}

/** Returns a person's page. `body` is trusted HTML, never text from a caller. */
export function personFrame(person: HumanCaller, frame: PersonFrame, body: string): string {
  const { title, waiting, account, log_size, now_ms, names = new Map() } = frame
  const badge = waiting === 0 ? '' : `(${waiting}) `
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${badge}${readableHtml(title)} · Deputy</title>
${INSTALLABLE}<style>${PEOPLE_STYLE}</style>
</head>
<body class="person">
<header class="top"><a href="/me">Deputy</a><a href="/me#account" class="account">${readableHtml(account)}</a></header>
<main id="people" data-csrf="${escapeHtml(person.csrf_token)}" data-person="${escapeHtml(person.human_ref)}" data-tenant="${escapeHtml(person.tenant_id)}" data-after="${log_size - 1}" data-now="${now_ms}" data-names="${escapeHtml(JSON.stringify(Object.fromEntries(names)))}">
${body}
</main>
${CONFIRM_DIALOG}
<noscript><p class="dim">You can read this page without JavaScript. Its buttons require it.</p></noscript>
<script type="module" src="/people.js"></script>
</body>
</html>`
}

/** Returns a part of the page that the script replaces when something happens. */
export function livePart(id: string, body: string): string {
  return `<section id="part-${id}" data-live aria-labelledby="${id}">\n${body}\n</section>`
}

/** Returns a part that stays closed until the person opens it. */
export function closedPart(id: string, title: string, summary: string, body: string): string {
  const dim = summary === '' ? '' : `<span class="dim">${readableHtml(summary)}</span>`
  return `<details class="part" id="${id}"><summary><h2>${title}</h2>${dim}</summary>\n<div class="inside">${body}</div></details>`
}

export function card(title: string, body: string): string {
  return `<li class="card"><h3>${readableHtml(title)}</h3>\n${body}</li>`
}

export function term(name: string, value: string): string {
  return termHtml(name, readableHtml(value))
}

/** `html` is trusted. */
export function termHtml(name: string, html: string): string {
  return `<dt>${readableHtml(name)}</dt><dd>${html}</dd>`
}

/**
 * Returns an instant. The script shows it by the device's clock: `exact` as day and time, `ago` as the time since then,
 * `until` as the time and how long it is until then.
 */
export function timeTag(
  at_ms: number,
  shown: 'exact' | 'ago' | 'until',
  time_zone: string | undefined,
): string {
  return `<time datetime="${new Date(at_ms).toISOString()}" data-shown="${shown}">${instantText(at_ms, time_zone)}</time>`
}

export function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
