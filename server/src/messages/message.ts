import { cutText, visibleText } from '@deputize/protocol'

/** One fact of a message, such as `Amount` and `$149.90`. */
export interface MessageFact {
  readonly label: string
  readonly value: string
}

/**
 * What a person is told, before any channel gives it a form. Every text is one line and safe to show: made by `messageText`,
 * so that a name of an agent can neither hide nor reorder what stands around it. Markup is the business of each channel.
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
  /** Passes quiet hours. */
  readonly is_urgent: boolean
}

const LONGEST_TEXT = 200

/** A text of another party as one visible line of bounded length. */
export function messageText(text: string, longest: number = LONGEST_TEXT): string {
  return cutText(visibleText(text).trim(), longest)
}
