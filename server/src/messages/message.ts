import { cutText, visibleText } from '@deputize/protocol'

/** One fact of a message, such as `Amount` and `$149.90`. */
export interface MessageFact {
  readonly label: string
  readonly value: string
}

/**
 * A message to a person, before any channel renders it. Every text is one line and safe to show: made by `messageText`,
 * so that an agent's name can neither hide nor reorder the text around it. Each channel adds its own markup.
 */
export interface Message {
  /** The same for every attempt, so that a receiver can drop a repeat. */
  readonly message_id: string
  readonly title: string
  readonly facts: readonly MessageFact[]
  /** Sentences below the facts. */
  readonly notes: readonly string[]
  /** Opens a page of this service. The address alone allows nothing. */
  readonly link: { readonly label: string; readonly url: string }
  /** Messages with the same topic replace each other on a lock screen. */
  readonly topic: string
  /** True if it is sent even during quiet hours. */
  readonly is_urgent: boolean
  /** When it no longer matters. Undefined: an hour after it is sent. */
  readonly ends_at_ms?: number
}

const LONGEST_TEXT = 200

/** Returns text from another party as one visible line of bounded length. */
export function messageText(text: string, longest: number = LONGEST_TEXT): string {
  return cutText(visibleText(text).trim(), longest)
}
