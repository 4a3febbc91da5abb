import { type Message, messageText } from '../message.ts'

/** Slack's limits on the texts of blocks. */
const MOST = { header: 150, field: 2000, fields: 10, button: 75 } as const

/**
 * Renders a message in Block Kit, for an incoming webhook. Foreign text appears only in `plain_text` objects, where
 * Slack reads no mentions, links or formatting, and escaped in `text`, which is the notification. The button only opens
 * the page.
 */
export function renderSlack({ title, facts, notes, link, topic }: Message) {
  return {
    text: escapeSlack(title),
    blocks: [
      { type: 'header', text: plain(messageText(title, MOST.header)) },
      {
        type: 'section',
        fields: facts
          .slice(0, MOST.fields)
          .map(({ label, value }) => plain(messageText(`${label}: ${value}`, MOST.field))),
      },
      ...(notes.length === 0 ? [] : [{ type: 'context', elements: notes.slice(0, MOST.fields).map(plain) }]),
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            style: 'primary',
            action_id: 'deputy_open',
            value: topic,
            url: link.url,
            text: plain(messageText(link.label, MOST.button)),
          },
        ],
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  } as const
}

function plain(text: string) {
  return { type: 'plain_text', text, emoji: false } as const
}

/** Escapes the three characters that have a meaning in Slack's text. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
