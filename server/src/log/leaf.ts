import { hash } from 'node:crypto'
import { canonicalJson } from '@deputy/protocol'

/**
 * The kinds of change that the log tells of. A leaf is public for ever: people appear only as keyed hashes, tokens only
 * as SHA-256 of their id, free text only as a keyed digest.
 */
export type LeafType =
  | 'token.issued'
  | 'token.revoked'
  | 'action.recorded'
  | 'action.authorized'
  | 'action.denied'
  | 'action.completed'
  | 'action.cancelled'
  | 'action.expired'
  | 'action.rated'

export interface Leaf {
  readonly v: 1
  readonly type: LeafType
  /** ISO 8601 UTC. Never earlier than that of the leaf before. */
  readonly at: string
  readonly [member: string]: unknown
}

/** The text that is hashed into the log and kept: RFC 8785 canonical JSON. */
export function leafText(leaf: Leaf): string {
  return canonicalJson(leaf)
}

/** How a token is named in leaves. Its id itself is a credential in open mode and never leaves. */
export function tokenRef(jti: string): string {
  return `sha256:${hash('sha256', jti)}`
}
