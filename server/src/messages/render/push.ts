import { cutText } from '@deputize/protocol'
import { type Message, messageText } from '../message.ts'

/** What the service worker gets. It shows the texts unchanged, because browsers read no markup in notifications. */
export interface PushPayload {
  readonly title: string
  readonly body: string
  /** A path of this service. */
  readonly path: string
  readonly tag: string
}

/** Push services guarantee 4,096 bytes for the encrypted message, and characters take up to four bytes. */
const LONGEST_BODY = 400

export function renderPush({ title, facts, notes, link, topic }: Message): PushPayload {
  const lines = [...facts.map(({ label, value }) => `${label}: ${value}`), ...notes]
  const { pathname, search, hash } = new URL(link.url)
  return {
    title: messageText(title, 150),
    body: cutText(lines.join('\n'), LONGEST_BODY),
    path: `${pathname}${search}${hash}`,
    tag: topic,
  }
}
