/**
 * The steps of a sign-in. If a program started it, the result is usable only after the person has seen, in the browser
 * where they signed in, who requested it and for what, and has confirmed. Without that step an attacker could send
 * someone a link and act for them. A sign-in that started on one of the service's pages finishes only in the browser
 * where it started.
 */
import { hash, randomBytes } from 'node:crypto'
import { AuthorityError, invalidField, newId } from '@deputize/protocol'
import type { Transaction } from '../../../verification/oidc-client.ts'
import type { Provider } from '../../../verification/providers.ts'
import { signOnFailed, signOnReason } from '../../../verification/sign-on-failed.ts'
import { providerByName } from '../../identity/identity-providers.ts'
import { type Login, type LoginRequest, loadLogin, saveLogin } from '../../identity/logins.ts'
import { linkIdentity, type ProvenPerson, provenPerson } from '../../identity/proven-person.ts'
import type { OperationContext } from '../../operation-context.ts'
import { isOwnPath } from './own-path.ts'

const LOGIN_MS = 10 * 60_000
/** How old a sign-in may be if a fresh one is required. */
export const FRESH_SIGN_IN_S = 300

/** Kept while the person is at the provider. Stored under the hash of the OAuth state. */
interface AwaitedCallback {
  readonly login_id: string
  readonly transaction: Transaction
  /** Hash of a secret that only the browser where the sign-in started has. Absent if a program started it. */
  readonly browser?: string
  readonly return_to?: string
}

/** Kept while the person decides. Stored under the hash of the confirmation secret. */
interface AwaitedConfirmation {
  readonly login_id: string
  readonly person: ProvenPerson
  readonly return_to?: string
}

/** What happens after the person returns from the provider. */
export type LoginCallback =
  | {
      readonly kind: 'signed_in'
      readonly person: ProvenPerson
      readonly return_to: string | undefined
    }
  | {
      readonly kind: 'to_confirm'
      readonly request: LoginRequest
      /** Confirms or rejects the request, once. Only the confirmation page has it. */
      readonly confirmation: string
      /** Shown on the page and not stored. */
      readonly email: string | undefined
    }

/**
 * Starts a sign-in from one of the service's pages. For a fresh one, the provider asks the person to sign in again. The
 * browser keeps `browser` as a cookie; the service stores only its hash.
 */
export async function beginBrowserLogin(
  provider_name: string,
  { return_to, isFresh }: { readonly return_to: string | undefined; readonly isFresh: boolean },
  context: OperationContext,
): Promise<{ readonly authorization_url: string; readonly browser: string }> {
  const provider = providerByName(provider_name, context)
  const browser = randomBytes(32).toString('base64url')
  const { authorization_url } = await beginLogin(
    provider,
    { started_by: '', tenant_id: provider.tenant_id, provider: provider_name },
    { browser: loginSecretKey(browser), ...(return_to !== undefined && { return_to }) },
    context,
    isFresh ? FRESH_SIGN_IN_S : undefined,
  )
  return { authorization_url, browser }
}

/** Starts a sign-in. A crash between the two writes leaves a pending one that no callback can finish; it expires. */
export async function beginLogin(
  provider: Provider,
  request: LoginRequest,
  origin: Pick<AwaitedCallback, 'browser' | 'return_to'>,
  context: OperationContext,
  max_age_s?: number,
): Promise<{ login_id: string; authorization_url: string; expires_at_ms: number }> {
  if (origin.return_to !== undefined && !isOwnPath(origin.return_to))
    throw invalidField('/return_to', 'must be a path of this service, such as /docs')
  const { authorization_url, transaction } = await context.verification.signIn.start(provider, max_age_s)
  const now_ms = context.clock()
  const login_id = newId('login', now_ms)
  const expires_at_ms = now_ms + LOGIN_MS
  const awaited: AwaitedCallback = { login_id, transaction, ...origin }
  await saveLogin({ login_id, status: 'pending', ...request, expires_at_ms }, context)
  await context.ephemeral.add('login', {
    key: loginSecretKey(transaction.state),
    value: JSON.stringify(awaited),
    owner: undefined,
    expires_at_ms,
  })
  return { login_id, authorization_url, expires_at_ms }
}

/** Handles the provider's callback. `browser` is the cookie of a sign-in that started on one of the service's pages. */
export async function finishLogin(
  query: URLSearchParams,
  browser: string | undefined,
  context: OperationContext,
): Promise<LoginCallback> {
  const [state, ...others] = query.getAll('state')
  const entry =
    state === undefined || others.length > 0
      ? undefined
      : await context.ephemeral.take('login', loginSecretKey(state))
  if (entry === undefined) throw new AuthorityError('login_unknown')
  // The state is used up. A crash from here on leaves the sign-in pending until it expires.
  const awaited = JSON.parse(entry.value) as AwaitedCallback // only `beginLogin` writes entries under such a key
  const login = await loadLogin(awaited.login_id, context)
  try {
    return await acceptCallback(awaited, login, query, browser, context)
  } catch (error) {
    await saveLogin({ ...login, status: 'failed', reason: signOnReason(error) ?? 'provider_error' }, context)
    throw error
  }
}

async function acceptCallback(
  { transaction, browser: expected_browser, return_to }: AwaitedCallback,
  login: Login,
  query: URLSearchParams,
  browser: string | undefined,
  context: OperationContext,
): Promise<LoginCallback> {
  if (
    expected_browser !== undefined &&
    (browser === undefined || loginSecretKey(browser) !== expected_browser)
  )
    throw signOnFailed('other_browser')
  const identity = await context.verification.signIn.finish(query, transaction)
  const person = provenPerson(identity, providerByName(login.provider, context), context)
  if (expected_browser !== undefined) {
    await linkIdentity(person, context)
    await saveLogin({ ...login, status: 'finished' }, context)
    return { kind: 'signed_in', person, return_to }
  }
  const confirmation = await awaitConfirmation(login, person, return_to, context)
  return { kind: 'to_confirm', request: login, confirmation, email: identity.email }
}

/** Stores the proven person until they confirm, and returns the secret that confirms the sign-in. */
async function awaitConfirmation(
  { login_id, expires_at_ms }: Login,
  person: ProvenPerson,
  return_to: string | undefined,
  { ephemeral }: OperationContext,
): Promise<string> {
  const confirmation = randomBytes(32).toString('base64url')
  const awaited: AwaitedConfirmation = { login_id, person, ...(return_to !== undefined && { return_to }) }
  await ephemeral.add('login', {
    key: loginSecretKey(confirmation),
    value: JSON.stringify(awaited),
    owner: undefined,
    expires_at_ms,
  })
  return confirmation
}

/** Accepts or rejects a request for a person who has seen who made it. */
export async function confirmLogin(
  confirmation: string,
  isConfirmed: boolean,
  context: OperationContext,
): Promise<{ readonly return_to: string | undefined }> {
  const entry = await context.ephemeral.take('login', loginSecretKey(confirmation))
  if (entry === undefined) throw new AuthorityError('login_unknown')
  const { login_id, person, return_to } = JSON.parse(entry.value) as AwaitedConfirmation // only `awaitConfirmation` writes entries under such a key
  const login = await loadLogin(login_id, context)
  if (!isConfirmed) {
    await saveLogin({ ...login, status: 'failed', reason: 'not_confirmed' }, context)
    throw signOnFailed('not_confirmed')
  }
  await saveLogin({ ...login, status: 'finished', person }, context)
  return { return_to }
}

function loginSecretKey(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
