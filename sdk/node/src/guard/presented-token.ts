import { CredentialError } from '../../../../protocol/src/proof/credential-fault.ts'
import type { SignedToken, TwoStepVerifier } from '../verify/verify-token.ts'
import type { GuardedRequest } from './admission.ts'
import type { GuardOptions } from './options.ts'
import type { ProofJudge } from './presented-proof.ts'

/** A verified token whose proof of possession, if it needs one, was checked too. It may have been revoked. */
export type PresentedToken = SignedToken & { readonly compact_jwt: string }

const CREDENTIAL = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i

/** Reads the token of a request. Throws a `CredentialError` or `TokenRefused`. */
export async function presentedToken(
  request: GuardedRequest,
  { verifySigned }: TwoStepVerifier,
  proofs: ProofJudge,
  options: GuardOptions,
): Promise<PresentedToken> {
  const header = request.header('authorization')
  if (header === undefined) throw new CredentialError('credential_missing')
  const [, scheme, compact_jwt] = CREDENTIAL.exec(header) ?? []
  if (scheme === undefined || compact_jwt === undefined) throw new CredentialError('credential_malformed')
  const { claims, kid } = await verifySigned(compact_jwt, options.audience)
  const token = { claims, kid, compact_jwt }
  await checkProof(request, token, scheme.toLowerCase() === 'dpop', proofs, options)
  return token
}

async function checkProof(
  request: GuardedRequest,
  { claims, compact_jwt }: PresentedToken,
  isDpop: boolean,
  proofs: ProofJudge,
  options: GuardOptions,
): Promise<void> {
  const { cnf } = claims
  if (cnf === undefined && isDpop) throw new CredentialError('token_not_bound')
  if (cnf === undefined) return
  const { method, target, header } = request
  const text = header('dpop')
  if (!isDpop || text === undefined) throw new CredentialError('proof_required')
  // A token bound in a way that this guard does not know must not pass as unbound.
  if (typeof cnf.jkt !== 'string') throw new CredentialError('token_refused', 'bad_claim')
  // A request line can hold an absolute URL, which could continue the host name of public_url.
  if (!target.startsWith('/')) throw new CredentialError('proof_refused', 'other_url')
  await proofs.judge({ text, method, url: `${publicUrl(options)}${target}`, compact_jwt, jkt: cnf.jkt })
}

function publicUrl({ audience, public_url = audience }: GuardOptions): string {
  if (public_url === undefined || !/^https?:/.test(public_url))
    throw new TypeError(
      'The guard cannot check proofs without public_url. Set it to the URL under which callers reach this API.',
    )
  return public_url.replace(/\/+$/, '')
}
