import { type CredentialFault, challenge } from '../../../../protocol/src/proof/credential-fault.ts'
import type { RefusedAnswer } from './guard.ts'

export const PROBLEM_TYPE = 'application/problem+json'

const TITLES = {
  credential_required: 'This call needs the token of an agent',
  credential_invalid: 'The token or its proof is not taken',
  not_allowed: 'The token does not allow this action',
  authority_unavailable: 'Whether this is allowed could not be found out',
} as const
export type GuardCode = keyof typeof TITLES

function answer(
  status: number,
  code: GuardCode,
  detail: string,
  members: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): RefusedAnswer {
  return {
    status,
    code,
    headers: { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store', ...headers },
    body: { type: 'about:blank', title: TITLES[code], status, detail, code, ...members },
  }
}

/** 401: nothing was shown, or nothing that counts. */
export function unauthenticated(
  fault: CredentialFault,
  detail: string,
  { reason, nonce }: { readonly reason?: string | undefined; readonly nonce?: string | undefined } = {},
): RefusedAnswer {
  const code = fault === 'credential_missing' ? 'credential_required' : 'credential_invalid'
  return answer(401, code, detail, reason === undefined ? {} : { reason }, {
    'www-authenticate': challenge(fault),
    ...(nonce !== undefined && { 'dpop-nonce': nonce }),
  })
}

/** 403: the rules say no. */
export function notAllowed(detail: string, members: Readonly<Record<string, unknown>>): RefusedAnswer {
  return answer(403, 'not_allowed', detail, members, {})
}

/** 503: nobody could be asked, so the answer is no. */
export function unavailable(detail: string): RefusedAnswer {
  return answer(503, 'authority_unavailable', detail, {}, { 'retry-after': '1' })
}
