import type { ChannelKind, MessageTopic } from '@deputize/protocol'

/** What the registry stores about a channel, encrypted for its owner: it holds third parties' addresses and secrets. */
export type ChannelDocument = {
  readonly name: string
  readonly created_at: string
  /** Absent: everything. */
  readonly about?: readonly MessageTopic[]
  /** Nothing is sent before the owner of the address has agreed. */
  readonly is_confirmed: boolean
} & ChannelTarget

export type ChannelTarget =
  | { readonly kind: 'email'; readonly address: string }
  | { readonly kind: 'push'; readonly endpoint: string; readonly p256dh: string; readonly auth: string }
  | { readonly kind: 'slack' | 'teams'; readonly url: string }
  | { readonly kind: 'webhook'; readonly url: string; readonly secret: string }

export interface KnownChannel {
  readonly channel_id: string
  readonly tenant_id: string
  /** The person. Undefined for a channel of the tenant. */
  readonly owner: string | undefined
  readonly document: ChannelDocument
  readonly log_index: number
}

export function carries({ about, is_confirmed }: ChannelDocument, topic: MessageTopic): boolean {
  return is_confirmed && (about === undefined || about.includes(topic))
}

/** Returns what people see of a channel. The path of an incoming webhook is a credential, so only the host is shown. */
export function targetText(target: ChannelTarget): string {
  if (target.kind === 'email') return target.address
  return new URL(target.kind === 'push' ? target.endpoint : target.url).host
}

/** The kinds whose messages this service posts itself. */
export const POSTED_KINDS: readonly ChannelKind[] = ['push', 'slack', 'teams', 'webhook']
