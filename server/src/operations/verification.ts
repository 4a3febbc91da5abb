import {
  type Scope,
  shownAgent,
  TokenError,
  VERIFICATION_REASONS,
  type VerificationReason,
  verifyToken as verifyClaims,
} from '@deputize/protocol'
import { livenessReasons } from '../domain/decision.ts'
import { isoInstant } from '../domain/time.ts'
import { type Chain, viewsOf } from '../domain/token.ts'
import { statusOf } from './get-token.ts'
import { jwtHash } from './minting.ts'
import type { Handler, OperationContext } from './operation-context.ts'

/** Either every reason to believe a token, or the first reason not to. The chain is there once the token is proven ours. */
export type Verdict =
  | { readonly reason: undefined; readonly chain: Chain }
  | { readonly reason: VerificationReason; readonly chain: Chain | undefined }

export const verifyToken: Handler<'verifyToken'> = async ({ body }, context) => {
  const { reason, chain } = await examine(body.compact_jwt, body.audience, context)
  return {
    valid: reason === undefined,
    ...(reason !== undefined && { reason }),
    ...(chain !== undefined && { claims: chain[0].token.claims }),
    chain: chain === undefined ? [] : linksOf(chain, context.clock()),
  }
}

/** Says nothing of why a token is not active: whoever asks may not be meant to know it. */
export const introspectToken: Handler<'introspectToken'> = async ({ body }, context) => {
  const { reason, chain } = await examine(body.token, undefined, context)
  if (reason !== undefined) return { active: false }
  const { claims, scope } = chain[0].token
  return { ...claims, active: true, scope: scopeText(scope), client_id: claims.sub, token_type: 'N_A' }
}

/** Signature and times first, then whether this very token was issued, then whether its chain is in force. */
export async function examine(
  compact_jwt: string,
  audience: string | undefined,
  context: OperationContext,
): Promise<Verdict> {
  const jti = await provenJti(compact_jwt, audience, context)
  if (typeof jti !== 'string') return { reason: jti.code, chain: undefined }
  const chain = await context.reader.chain(jti)
  // A thief of the key can sign anything, but nothing that the log tells of.
  if (chain === undefined || chain[0].token.jwt_hash !== jwtHash(compact_jwt))
    return { reason: 'not_issued', chain: undefined }
  const objections: readonly string[] = livenessReasons(chain, context.clock())
  return { reason: VERIFICATION_REASONS.find((reason) => objections.includes(reason)), chain } as Verdict // a chain fits both
}

/** A key that this node does not know may be one that another node has made: it is looked for once. */
async function provenJti(
  compact_jwt: string,
  audience: string | undefined,
  { keys, clock, issuer }: OperationContext,
): Promise<string | TokenError> {
  let unknown: string | undefined
  const verified = () => {
    try {
      return verifyClaims(compact_jwt, {
        now_s: Math.floor(clock() / 1000),
        issuer,
        typ: 'vat+jwt',
        key(kid) {
          const key = keys.find(kid)
          if (key === undefined) unknown = kid
          return key
        },
        ...(audience !== undefined && { audience }),
      }).jti
    } catch (error) {
      if (error instanceof TokenError) return error
      throw error
    }
  }
  const verdict = verified()
  if (unknown === undefined || (await keys.learn(unknown)) === undefined) return verdict
  return verified()
}

/** Every pair that a scope allows, as OAuth writes scopes. */
export function scopeText({ actions, resources }: Scope): string {
  return actions.flatMap((action) => resources.map((resource) => `${action}@${resource}`)).join(' ')
}

function linksOf(chain: Chain, now_ms: number) {
  return viewsOf(chain).map((view) => {
    const { jti, agent_id, delegation_depth, limits } = view[0].token
    return {
      jti,
      agent_id: shownAgent(agent_id),
      delegation_depth,
      status: statusOf(view, now_ms),
      expires_at: isoInstant(limits.expires_at_ms),
    }
  })
}
