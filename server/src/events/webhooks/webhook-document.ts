import type { WebhookFormat, WebhookSignature } from '@deputize/protocol'

/** The registry entries of webhooks. */
export const WEBHOOK_KIND = 'webhook'

/** A key that signs messages. The old key of a rotation expires. */
export interface WebhookKey {
  /** `whsec_…` or `whsk_…`. */
  readonly signing: string
  /** `whsec_…` or `whpk_…`. */
  readonly verifying: string
  readonly expires_at?: string | undefined
}

/** What the registry stores about a webhook, sealed. */
export interface WebhookDocument {
  readonly url: string
  readonly description?: string | undefined
  /** Types of events, or `*`. */
  readonly events: readonly string[]
  /** By its name in the service, which includes the tenant. */
  readonly agent_id?: string | undefined
  readonly provenance_ref?: string | undefined
  readonly format: WebhookFormat
  readonly signature: WebhookSignature
  /** The newest first. */
  readonly keys: readonly WebhookKey[]
  /** The role whose events it sees. */
  readonly role: string
  /** The log index that it starts at. */
  readonly since: number
  readonly created_at: string
  readonly created_by: string
  /** The first in the chain of replacements that the API key that created the webhook belongs to. */
  readonly first_key_id?: string | undefined
  /** Likewise for the API key that last changed the webhook's address. */
  readonly turned_by?: string | undefined
}

/** Only this service writes these documents. */
export function readWebhook(document: string): WebhookDocument {
  return JSON.parse(document)
}

/** The keys that sign at this instant. */
export function keysInUse({ keys }: WebhookDocument, now_ms: number): readonly WebhookKey[] {
  return keys.filter(({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > now_ms)
}
