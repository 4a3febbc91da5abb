/** The external providers of these tests: each against a server that speaks its documented API. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, beforeEach } from 'node:test'
import { aDescribedServer } from '@deputize/testing/idv/a-described-server.ts'
import { aPersonaServer } from '@deputize/testing/idv/a-persona-server.ts'
import { aStripeServer } from '@deputize/testing/idv/a-stripe-server.ts'
import { aVeriffServer } from '@deputize/testing/idv/a-veriff-server.ts'
import { anOnfidoServer } from '@deputize/testing/idv/an-onfido-server.ts'
import type { IdentityServer, ProviderJson } from '@deputize/testing/idv/identity-server.ts'
import { type Outbound, outbound } from '../../src/outbound/outbound.ts'
import {
  type CallbackHeaders,
  type NewExternalSession,
  ProviderFailure,
} from '../../src/verification/external/port.ts'
import { readExternals } from '../../src/verification/external/read-external.ts'

export const NOW_MS = Date.parse('2026-11-16T12:00:00Z')
export const OTHER_SECRET = 'another-secret-of-the-same-webhook'
export const SESSION: NewExternalSession = {
  session_id: 'vs_0123456789abcdef0123456789abcdef',
  attempt: 1,
  human_ref: 'sha256:a-person-who-must-not-be-named-to-a-provider',
  return_url: 'https://deputy.example/verify-me/vs_0123456789abcdef0123456789abcdef',
  callback_url: 'https://deputy.example/v1/vat/auth/providers/id-check/callback',
  locale: 'de-AT',
}
export const loopback = outbound({ allow_loopback: true })

export const stripe = await aStripeServer({ after })
export const persona = await aPersonaServer({ after })
export const onfido = await anOnfidoServer({ after })
export const veriff = await aVeriffServer({ after })
export const described = await aDescribedServer({ after })
beforeEach(() => {
  for (const server of [stripe, persona, onfido, veriff, described]) server.instead = undefined
})

export interface ProviderCase {
  readonly name: string
  readonly server: IdentityServer
  /** The header with the signature, and whether it contains a time and several signatures. */
  readonly header: string
  readonly is_timed: boolean
  readonly is_idempotent: boolean
  readonly pass_checks: ProviderJson
  readonly fail_reasons: readonly string[]
  /** Providers that an operator describes may use numbers as IDs, and have no status at first. */
  readonly is_described?: boolean
  /** A body as the provider would send it about this session, with `more` members added or replaced. */
  readonly body: (id: unknown, more?: ProviderJson) => ProviderJson
}

export const PROVIDERS: readonly ProviderCase[] = [
  {
    name: 'Stripe',
    server: stripe,
    header: 'stripe-signature',
    is_timed: true,
    is_idempotent: true,
    pass_checks: { document: true, face_match: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ id: 'evt_1', data: { object: { id } }, ...more }),
  },
  {
    name: 'Persona',
    server: persona,
    header: 'persona-signature',
    is_timed: true,
    is_idempotent: true,
    pass_checks: { document: true, liveness: true, face_match: true },
    fail_reasons: ['liveness_failed', 'face_mismatch'],
    body: (id, more) => ({ data: { id: 'evt_1', attributes: { payload: { data: { id } } }, ...more } }),
  },
  {
    name: 'Onfido',
    server: onfido,
    header: 'x-sha2-signature',
    is_timed: false,
    is_idempotent: false,
    pass_checks: { document: true, liveness: true, face_match: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ payload: { resource_type: 'workflow_run', object: { id }, ...more } }),
  },
  {
    name: 'Veriff',
    server: veriff,
    header: 'x-hmac-signature',
    is_timed: false,
    is_idempotent: false,
    pass_checks: { liveness: true },
    fail_reasons: ['face_mismatch'],
    body: (id, more) => ({ status: 'success', verification: { id }, ...more }),
  },
  {
    name: 'a provider that the operator describes',
    server: described,
    header: 'x-described-signature',
    is_timed: false,
    is_idempotent: true,
    pass_checks: { face_match: true },
    is_described: true,
    // Reasons are the provider's own words, which are not passed on.
    fail_reasons: [],
    body: (id, more) => ({ case: { id, ...more } }),
  },
]

export function caseOf(server: IdentityServer): ProviderCase {
  const found = PROVIDERS.find((one) => one.server === server)
  assert.ok(found)
  return found
}

/** What a test may change about an entry, its secrets and its environment. */
interface Changes {
  readonly entry?: ProviderJson
  readonly secrets?: Readonly<Record<string, string>>
  readonly call?: Outbound
}

export function opened(server: IdentityServer, { entry = {}, secrets = {}, call = loopback }: Changes = {}) {
  const { entries, problems } = readEntry(server, entry, secrets)
  assert.deepEqual(problems, [])
  const [found] = entries
  assert.ok(found)
  return found.open({
    name: 'id-check',
    call,
    clock: () => NOW_MS,
    public_url: () => 'https://deputy.example',
    derivedSecret: () => 'not used',
  })
}

export function readEntry(
  server: IdentityServer,
  changes: ProviderJson,
  secrets: Readonly<Record<string, string>> = {},
) {
  const members = { name: 'id-check', kind: server.kind, level: 'L2', ...server.entry, ...changes }
  return readExternals(JSON.stringify({ providers: [members] }), (file) => {
    const content = secrets[file] ?? server.secrets.get(file)
    if (content === undefined) throw new Error(`no file ${file}`)
    return content
  })
}

/** The name of the member that names the file with the webhook secret. */
export function secretMember({ entry, secrets, webhook_secret }: IdentityServer): string {
  const found = Object.entries(entry).find(([, file]) => secrets.get(String(file))?.trim() === webhook_secret)
  assert.ok(found)
  return found[0]
}

/** The name of the member with the API address. */
export function urlMember({ entry }: IdentityServer): string {
  return 'api_url' in entry ? 'api_url' : 'create_url'
}

export function received(headers: Readonly<Record<string, string>>): CallbackHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
}

/** Headers that sign a body as the provider would, whatever the body contains. */
export function signed(
  { header, is_timed }: ProviderCase,
  secret: string,
  body: string | Buffer,
): CallbackHeaders {
  const time = `${Math.floor(NOW_MS / 1000)}`
  const mac = createHmac('sha256', secret)
    .update(is_timed ? `${time}.` : '')
    .update(body)
    .digest('hex')
  return { [header]: [is_timed ? `t=${time},v1=${mac}` : mac] }
}

export async function failureOf(promise: Promise<unknown>): Promise<ProviderFailure> {
  const failure = await promise.then(
    () => assert.fail('nothing failed'),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof ProviderFailure, String(failure))
  return failure
}
