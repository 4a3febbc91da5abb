import { decodeBase64url } from '../../../../protocol/src/encoding/base64url.ts'
import type { NotInForce } from './revocation-feed.ts'

/** Two status bits for each token (`/v1/vat/status-list`). They cover every ancestor of the token. */
export interface StatusList {
  readonly as_of_ms: number
  /** `unknown`: the token is newer than the list. */
  status(index: number): NotInForce | 'in_force' | 'unknown'
  /** Whether the service withdrew this signing key. */
  isWithdrawn(kid: string): boolean
}

export async function statusList(statement: Readonly<Record<string, unknown>>): Promise<StatusList> {
  const { iat, status_list, withdrawn_keys = [] } = statement
  const { bits, lst } = (status_list ?? {}) as { readonly bits?: unknown; readonly lst?: unknown } // checked below
  if (typeof iat !== 'number' || bits !== 2 || typeof lst !== 'string')
    throw new Error('The status list has an unexpected format.')
  if (!Array.isArray(withdrawn_keys)) throw new Error('The status list has an unexpected list of keys.')
  const withdrawn = new Set(withdrawn_keys.map((key: { readonly kid?: unknown } | null) => key?.kid))
  const bytes = await inflated(decodeBase64url(lst))
  return {
    as_of_ms: iat * 1000,
    isWithdrawn: (kid) => withdrawn.has(kid),
    status(index) {
      const byte = bytes[index >> 2]
      if (byte === undefined) return 'unknown'
      const status = (byte >> ((index % 4) * 2)) & 3
      if (status === 0) return 'in_force'
      return status === 2 ? 'token_suspended' : 'token_revoked'
    },
  }
}

async function inflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new DecompressionStream('deflate'))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}
