/** Calls to the service in the person's session. */
import { type PublicKeyCredentialCreationOptionsJSON, startAuthentication } from '@simplewebauthn/browser'
import { ask } from './confirm.ts'
import { refusalWords } from './refusal-words.ts'

/** A call, with everything that its confirmation needs. */
export interface PageCall {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly params?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** The members of answers that these pages read. */
interface Answer {
  // The type depends on the call: registration or authentication.
  readonly options: PublicKeyCredentialCreationOptionsJSON &
    Parameters<typeof startAuthentication>[0]['optionsJSON']
  readonly words: readonly string[]
  readonly grant: string
}

/** The service refused the call. The message is for the person. */
class Refused extends Error {
  readonly code: string
  readonly reason: string
  readonly sign_in_path: string | undefined

  constructor(answer: RefusalAnswer) {
    const { code = '', reason = '', detail = '', sign_in_path, errors = [] } = answer
    super(
      refusalWords(
        { code, reason, detail },
        errors.map(({ pointer }) => pointer),
      ),
    )
    this.code = code
    this.reason = reason
    this.sign_in_path = sign_in_path
  }
}

interface RefusalAnswer {
  readonly code?: string
  readonly reason?: string
  readonly detail?: string
  readonly sign_in_path?: string
  readonly errors?: readonly { readonly pointer: string }[]
}

const SIGNED_OUT = ['credential_required', 'credential_invalid']

/** Where the person must sign in before the call can succeed. Undefined if the call failed for another reason. */
export function signInPathFor(error: unknown): string | undefined {
  if (!(error instanceof Refused)) return undefined
  if (error.code === 'sign_on_too_old') return error.sign_in_path
  return SIGNED_OUT.includes(error.code) ? signInPath() : undefined
}

/** Whether the call needs a passkey that the person doesn't have. */
export function lacksPasskey(error: unknown): boolean {
  return error instanceof Refused && error.code === 'step_up_required' && error.reason === 'no_passkey'
}

/** The sign-in of the person's tenant, which then returns to this page. */
export function signInPath(): string {
  const of = tenant === 'default' ? '' : `&tenant=${encodeURIComponent(tenant)}`
  return `/sign-in?return_to=${location.pathname}${of}`
}

const people = document.getElementById('people')
const { tenant = 'default' } = people?.dataset ?? {}
let csrf_token = people?.dataset.csrf

/** The person that the page belongs to. */
export const PERSON: string = people?.dataset.person ?? ''

/** Takes the token from a later copy of the page: a sign-in in another tab begins another session. */
export function renewCsrfToken(page: Document): void {
  csrf_token = page.getElementById('people')?.dataset.csrf ?? csrf_token
}

/** Puts the tenant into the address, so that a reload after the session has ended leads to the tenant's sign-in. */
export function keepTenant(): void {
  const query = new URLSearchParams(location.search)
  if (tenant === 'default' || query.has('tenant')) return
  query.set('tenant', tenant)
  history.replaceState(history.state, '', `?${query}${location.hash}`)
}

export async function sendRequest(
  method: string,
  path: string,
  body?: unknown,
  grant?: string,
): Promise<Answer> {
  const response = await fetch(path, {
    method,
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(csrf_token !== undefined && { 'deputy-csrf': csrf_token }),
      ...(grant !== undefined && { 'deputy-step-up': grant }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const isJson = response.headers.get('content-type')?.includes('json') === true
  const answer = isJson ? await response.json() : {}
  if (!response.ok) throw new Refused(answer)
  return answer
}

/** Sends a call that outlives the page. False if it was not carried out, for a page that is shown again. */
export async function sendInParting({ method, path, body }: PageCall): Promise<boolean> {
  const response = await fetch(path, {
    method,
    keepalive: true,
    headers: { 'content-type': 'application/json', 'deputy-csrf': csrf_token ?? '' },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  return response?.ok === true
}

/** Makes a call, and confirms it with a passkey if the service requires it. Undefined if the person cancelled. */
export async function confirmed({
  operation,
  method,
  path,
  params,
  body,
}: PageCall): Promise<Answer | undefined> {
  try {
    return await sendRequest(method, path, body)
  } catch (error) {
    if (!(error instanceof Refused && error.code === 'step_up_required' && error.reason === 'no_grant'))
      throw error
  }
  const { options, words } = await sendRequest('POST', '/v1/vat/auth/step-up/options', {
    operation,
    params,
    body,
  })
  if (!(await ask({ words, yes: 'Confirm with your passkey' }))) return undefined
  const response = await startAuthentication({ optionsJSON: options })
  const { grant } = await sendRequest('POST', '/v1/vat/auth/step-up/verify', { response })
  return sendRequest(method, path, body, grant)
}

export function messageOf(error: unknown): string {
  if (error instanceof Refused) return error.message
  if (error instanceof Error && error.name === 'NotAllowedError')
    return 'The passkey was not used. Try again.'
  if (error instanceof Error && error.name === 'InvalidStateError')
    return 'You already have a passkey on this device.'
  return 'Something went wrong. Check your connection, and that your browser supports passkeys.'
}
