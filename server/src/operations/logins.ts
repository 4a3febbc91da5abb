/**
 * Sign-ons under way. A sign-on that a program began is good for nothing until the person has seen, in the browser where
 * they signed in, who asked and for what, and has confirmed it: otherwise anybody could send somebody a link and act in
 * their name. One that a page of ours began ends only in the browser where it began.
 */
import { hash, randomBytes } from 'node:crypto'
import { AuthorityError, invalidField, newId, type SignOnReason } from '@deputize/protocol'
import type { Caller } from '../access/caller.ts'
import { isoInstant } from '../domain/time.ts'
import type { Transaction } from '../verification/oidc-client.ts'
import type { Provider } from '../verification/providers.ts'
import { signOnFailed, signOnReason } from '../verification/sign-on-failed.ts'
import type { Handler, OperationContext } from './operation-context.ts'
import { linkIdentity, type ProvenPerson, provenPerson } from './proven-person.ts'

const LOGIN_MS = 10 * 60_000

/** Who asked for a sign-on, and what for. */
export interface Asked {
  readonly started_by: string
  readonly tenant_id: string
  readonly provider: string
  readonly agent_id?: string
  readonly resources?: readonly string[]
  readonly actions?: readonly string[]
}

/** How a sign-on stands. Whether it was used is noted apart, so that of many who try only one can. */
export interface Login extends Asked {
  readonly login_id: string
  readonly status: 'pending' | 'finished' | 'failed'
  readonly reason?: SignOnReason
  /** Once it is finished. */
  readonly person?: ProvenPerson
  readonly expires_at_ms: number
}

/** What waits for the person to come back from the provider. */
interface Journey {
  readonly login_id: string
  readonly transaction: Transaction
  /** Hash of what only the browser where it began knows; without it the person is asked. */
  readonly browser?: string
  readonly return_to?: string
}

/** What waits for the person to confirm. */
interface Question {
  readonly login_id: string
  readonly person: ProvenPerson
  readonly return_to?: string
}

export const startLogin: Handler<'startLogin'> = async ({ body, caller }, context) => {
  const { provider: name, return_to, ...purpose } = body
  const provider = chosenProvider(name, caller.tenant_id, context)
  const asked = { ...purpose, started_by: caller.name, tenant_id: caller.tenant_id, provider: provider.name }
  const { login_id, authorization_url, expires_at_ms } = await beginLogin(
    provider,
    asked,
    return_to === undefined ? {} : { return_to },
    context,
  )
  return { login_id, authorization_url, expires_at: isoInstant(expires_at_ms) }
}

export const getLogin: Handler<'getLogin'> = async ({ params, caller }, context) => {
  const { login_id, status, reason, expires_at_ms } = await ownLogin(params.id, caller, context)
  const isUsed = (await context.ephemeral.get('login', useKeyOf(login_id))) !== undefined
  return {
    login_id,
    status: isUsed ? 'used' : status,
    ...(reason !== undefined && { reason }),
    expires_at: isoInstant(expires_at_ms),
  }
}

export const listProviders: Handler<'listProviders'> = async ({ caller }, context) => ({
  data: providersOf(caller.tenant_id, context).map(({ name, issuer }) => ({
    name,
    protocol: 'oidc',
    issuer,
    assurance_level: 'L2',
  })),
})

export function providersOf(tenant_id: string, { signOn }: OperationContext): Provider[] {
  return signOn.providers.filter((provider) => provider.tenant_id === tenant_id)
}

/** The provider of that name, or the only one there is. */
function chosenProvider(name: string | undefined, tenant_id: string, context: OperationContext): Provider {
  const candidates = providersOf(tenant_id, context)
  const [found, ...others] =
    name === undefined ? candidates : candidates.filter((provider) => provider.name === name)
  if (found === undefined || others.length > 0) throw new AuthorityError('provider_unknown')
  return found
}

/** A sign-on that a page of ours begins. `browser` is to be remembered by the browser, and by nobody else. */
export async function beginInBrowser(
  name: string,
  return_to: string | undefined,
  context: OperationContext,
): Promise<{ readonly authorization_url: string; readonly browser: string }> {
  const provider = context.signOn.providers.find((one) => one.name === name)
  if (provider === undefined) throw new AuthorityError('provider_unknown')
  const browser = randomBytes(32).toString('base64url')
  const { authorization_url } = await beginLogin(
    provider,
    { started_by: '', tenant_id: provider.tenant_id, provider: name },
    { browser: keyOf(browser), ...(return_to !== undefined && { return_to }) },
    context,
  )
  return { authorization_url, browser }
}

async function beginLogin(
  provider: Provider,
  asked: Asked,
  way: Pick<Journey, 'browser' | 'return_to'>,
  context: OperationContext,
): Promise<{ login_id: string; authorization_url: string; expires_at_ms: number }> {
  if (way.return_to !== undefined && !isOwnPath(way.return_to))
    throw invalidField('/return_to', 'must be a path of this service, such as /docs')
  const { authorization_url, transaction } = await context.signOn.start(provider)
  const now_ms = context.clock()
  const login_id = newId('login', now_ms)
  const expires_at_ms = now_ms + LOGIN_MS
  const journey: Journey = { login_id, transaction, ...way }
  await keep({ login_id, status: 'pending', ...asked, expires_at_ms }, context)
  await context.ephemeral.add('login', {
    key: keyOf(transaction.state),
    value: JSON.stringify(journey),
    owner: undefined,
    expires_at_ms,
  })
  return { login_id, authorization_url, expires_at_ms }
}

/** A path and nothing that a browser could take for another place. */
export function isOwnPath(path: string): boolean {
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(path) || path.includes('\\')) return false
  const here = 'http://here.invalid'
  const url = URL.parse(path, here)
  return url !== null && url.origin === here && `${url.pathname}${url.search}${url.hash}` === path
}

/** What becomes of a person who comes back from the provider. */
export type Arrival =
  | {
      readonly kind: 'signed_in'
      readonly person: ProvenPerson
      readonly return_to: string | undefined
    }
  | {
      readonly kind: 'to_confirm'
      readonly asked: Asked
      /** Opens the confirmation, once. Only the page where it is asked for knows it. */
      readonly confirmation: string
      /** For the page; it is not kept. */
      readonly email: string | undefined
    }

/** Ends the journey of a person: `browser` is what their browser remembers of a sign-on that a page of ours began. */
export async function finishLogin(
  query: URLSearchParams,
  browser: string | undefined,
  context: OperationContext,
): Promise<Arrival> {
  const [state, ...others] = query.getAll('state')
  const entry =
    state === undefined || others.length > 0 ? undefined : await context.ephemeral.take('login', keyOf(state))
  if (entry === undefined) throw new AuthorityError('login_unknown')
  const journey = JSON.parse(entry.value) as Journey // only `beginLogin` writes such entries
  const login = await loginOf(journey.login_id, context)
  if (login === undefined) throw new AuthorityError('login_unknown')
  try {
    return await arrive(journey, login, query, browser, context)
  } catch (error) {
    await keep({ ...login, status: 'failed', reason: signOnReason(error) ?? 'provider_error' }, context)
    throw error
  }
}

async function arrive(
  { transaction, browser: home, return_to }: Journey,
  login: Login,
  query: URLSearchParams,
  browser: string | undefined,
  context: OperationContext,
): Promise<Arrival> {
  if (home !== undefined && (browser === undefined || keyOf(browser) !== home))
    throw signOnFailed('other_browser')
  const identity = await context.signOn.finish(query, transaction)
  const person = provenPerson(identity, providerNamed(login.provider, context), context)
  if (home !== undefined) {
    await linkIdentity(person, context)
    await keep({ ...login, status: 'finished' }, context)
    return { kind: 'signed_in', person, return_to }
  }
  const confirmation = randomBytes(32).toString('base64url')
  const question: Question = {
    login_id: login.login_id,
    person,
    ...(return_to !== undefined && { return_to }),
  }
  await context.ephemeral.add('login', {
    key: keyOf(confirmation),
    value: JSON.stringify(question),
    owner: undefined,
    expires_at_ms: login.expires_at_ms,
  })
  return { kind: 'to_confirm', asked: login, confirmation, email: identity.email }
}

/** The person has seen who asked, and says yes or no. */
export async function confirmLogin(
  confirmation: string,
  isConfirmed: boolean,
  context: OperationContext,
): Promise<{ readonly return_to: string | undefined }> {
  const entry = await context.ephemeral.take('login', keyOf(confirmation))
  if (entry === undefined) throw new AuthorityError('login_unknown')
  const { login_id, person, return_to } = JSON.parse(entry.value) as Question // only `arrive` writes such entries
  const login = await loginOf(login_id, context)
  if (login === undefined) throw new AuthorityError('login_unknown')
  if (!isConfirmed) {
    await keep({ ...login, status: 'failed', reason: 'not_confirmed' }, context)
    throw signOnFailed('not_confirmed')
  }
  await keep({ ...login, status: 'finished', person }, context)
  return { return_to }
}

export function providerNamed(name: string, { signOn }: OperationContext): Provider {
  const provider = signOn.providers.find((one) => one.name === name)
  if (provider === undefined) throw new AuthorityError('provider_unknown')
  return provider
}

/** A sign-on that this caller began; of others nobody learns whether they exist. */
export async function ownLogin(login_id: string, caller: Caller, context: OperationContext): Promise<Login> {
  const login = await loginOf(login_id, context)
  if (login?.started_by !== caller.name || login.tenant_id !== caller.tenant_id)
    throw new AuthorityError('login_unknown')
  return login
}

/** Under which it is noted that a sign-on was used. */
export function useKeyOf(login_id: string): string {
  return `${login_id}:used`
}

async function loginOf(login_id: string, { ephemeral }: OperationContext): Promise<Login | undefined> {
  const entry = await ephemeral.get('login', loginKeyOf(login_id))
  if (entry === undefined) return undefined
  return { ...(JSON.parse(entry.value) as Login), expires_at_ms: entry.expires_at_ms } // only `keep` writes such entries
}

async function keep(login: Login, { ephemeral }: OperationContext): Promise<void> {
  const entry = {
    key: loginKeyOf(login.login_id),
    value: JSON.stringify(login),
    owner: undefined,
    expires_at_ms: login.expires_at_ms,
  }
  if (!(await ephemeral.replace('login', entry))) await ephemeral.add('login', entry)
}

/** Ids are told apart from the hashes that other entries lie under. */
function loginKeyOf(login_id: string): string {
  return `${login_id}:login`
}

function keyOf(secret: string): string {
  return hash('sha256', secret, 'base64url')
}
