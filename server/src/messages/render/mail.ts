import type { Message } from '../message.ts'
import { escapeMarkup } from './markup.ts'

/** A message as email. It tracks no one: it loads nothing, and its links only open pages of this service. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Renders a message as email. `unsubscribe_url` opens a page that ends emails to this address after one more click. */
export function renderMail(message: Message, unsubscribe_url: string | undefined): RenderedMail {
  return {
    subject: message.title,
    text: plainMail(message, unsubscribe_url),
    html: htmlMail(message, unsubscribe_url),
  }
}

function plainMail({ title, facts, notes, link }: Message, unsubscribe_url: string | undefined): string {
  return [
    title,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    '',
    ...notes,
    '',
    `${link.label}: ${link.url}`,
    '',
    'Opening the link decides nothing. You sign in and confirm on the page.',
    ...(unsubscribe_url === undefined ? [] : ['', `Stop these emails: ${unsubscribe_url}`]),
    '',
  ].join('\r\n')
}

const CELL = 'padding:2px 16px 2px 0;vertical-align:top'

function htmlMail({ title, facts, notes, link }: Message, unsubscribe_url: string | undefined): string {
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td style="${CELL};color:#5b6470">${escapeMarkup(label)}</td><td style="${CELL}">${escapeMarkup(value)}</td></tr>`,
  )
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeMarkup(title)}</title></head>
<body style="margin:0;padding:24px;background:#fbfaf7;color:#1c1f24;font:16px/1.5 system-ui,sans-serif">
<h1 style="font-size:20px;margin:0 0 16px">${escapeMarkup(title)}</h1>
<table role="presentation" style="border-collapse:collapse">${rows.join('\n')}</table>
${notes.map((note) => `<p style="margin:12px 0 0">${escapeMarkup(note)}</p>`).join('\n')}
<p style="margin:24px 0"><a href="${escapeMarkup(link.url)}" style="background:#0b5d4e;color:#fbfaf7;padding:12px 20px;border-radius:6px;text-decoration:none;font-weight:600">${escapeMarkup(link.label)}</a></p>
<p style="color:#5b6470;font-size:14px;margin:0">Opening the link decides nothing. You sign in and confirm on the page.</p>
${unsubscribe_url === undefined ? '' : `<p style="font-size:14px"><a href="${escapeMarkup(unsubscribe_url)}" style="color:#5b6470">Stop these emails</a></p>`}
</body></html>
`
}
