/**
 * OpenID Connect for Identity Assurance: a provider that has already verified a person supplies `verified_claims`, in
 * the ID token or from its userinfo endpoint. The decision comes with the browser, so it can't be fetched again later.
 */
import { AuthorityError, canonicalJson } from '@deputize/protocol'
import type { OidcClient, RedeemedClaims, Transaction } from '../oidc-client.ts'
import type { Provider } from '../providers.ts'
import { type JsonMembers, jsonMembers } from '../providers-file.ts'
import { signOnReason } from '../sign-on-failed.ts'
import type { EntryReader } from './entry-reader.ts'
import { type ExternalParts, type ExternalProvider, type OpenExternal, ProviderFailure } from './port.ts'
import { type ExternalDecision, externalDecision } from './verdict.ts'

/** Returns the path that a provider of this kind sends the browser back to. */
export function identityReturnPath(name: string): string {
  return `/v1/vat/auth/providers/${name}/return`
}

export interface AssuranceRule {
  /** The frameworks under which the person must have been verified, such as de_aml or eidas. */
  readonly trust_frameworks: readonly string[]
  /** The claims that must be verified. They are read and forgotten. */
  readonly claims: readonly string[]
  /** Maximum age of the verification at the provider, in days. 0: any age. */
  readonly max_age_days: number
}

const DAY_MS = 86_400_000
const CLOCK_SKEW_MS = 300_000

export function readOidc4Ida(entry: EntryReader): OpenExternal {
  const provider: Omit<Provider, 'name'> = {
    issuer: entry.url('issuer'),
    client_id: entry.text('client_id', /^[\x21-\x7e]{1,256}$/, 'be the client ID that the provider gave you'),
    client_secret: entry.optionalSecret('client_secret_file'),
    tenant_id: 'default',
    scopes: entry.strings('scopes', ['openid']),
    groups_claim: 'groups',
    groups: undefined,
    required_groups: [],
    roles: new Map(),
    prompt: undefined,
  }
  const rule: AssuranceRule = {
    trust_frameworks: entry.strings('trust_frameworks', []),
    claims: entry.strings('claims', ['given_name', 'family_name', 'birthdate']),
    max_age_days: entry.integer('max_age_days', 0, 0, 36_500),
  }
  if (!provider.scopes.includes('openid')) entry.say('scopes must include openid.')
  if (rule.trust_frameworks.length === 0)
    entry.say('trust_frameworks must list the frameworks that you accept, such as de_aml.')
  return (parts) => assuranceProvider({ ...provider, name: parts.name }, rule, parts)
}

function assuranceProvider(
  provider: Provider,
  rule: AssuranceRule,
  { call, clock, public_url }: ExternalParts,
): ExternalProvider {
  const redirect_uri = () => `${public_url()}${identityReturnPath(provider.name)}`
  let opened: Promise<OidcClient> | undefined
  /** The library is large, so it is loaded on first use. */
  const client = () => {
    opened ??= import('../oidc-client.ts').then(({ oidcClient }) => oidcClient(provider, call, clock))
    return opened
  }

  return {
    async createSession() {
      const { authorization_url, transaction } = await sorted(
        client().then((one) => one.start(redirect_uri(), undefined, requestedClaims(rule))),
      )
      return {
        external_id: transaction.state,
        redirect_url: authorization_url,
        memory: JSON.stringify(transaction),
      }
    },
    /** Such providers send none. */
    readCallback: () => undefined,
    /** Nothing is decided until the browser comes back. */
    fetchDecision: async () => externalDecision(new Uint8Array(), 'pending'),
    async redeem(query, memory) {
      const transaction: Transaction = JSON.parse(memory ?? '{}') // only `createSession` writes it
      const redeemed = client().then((one) => one.redeemClaims(query, transaction, redirect_uri()))
      try {
        return assuranceDecision(await sorted(redeemed), rule, clock())
      } catch (error) {
        if (error instanceof ProviderFailure && signOnReason(error.cause) === 'declined')
          return externalDecision(new Uint8Array(), 'fail', {}, ['consent_declined'])
        throw error
      }
    },
  }
}

/** Requests the claims in both places (OpenID Connect for Identity Assurance 1.0, section 6): providers differ. */
function requestedClaims({ trust_frameworks, claims }: AssuranceRule): object {
  const verified_claims = {
    verification: { trust_framework: { values: trust_frameworks } },
    claims: Object.fromEntries(claims.map((name) => [name, null])),
  }
  return { userinfo: { verified_claims }, id_token: { verified_claims } }
}

/** Passes if one set of verified claims satisfies the whole rule. Only the digest of the claims is kept. */
export function assuranceDecision(
  { id_token, userinfo }: RedeemedClaims,
  rule: AssuranceRule,
  now_ms: number,
): ExternalDecision {
  const sets = [id_token.verified_claims, userinfo.verified_claims].flat().flatMap(listedMembers)
  // Names and dates of birth can be guessed. The random nonce keeps guesses from being checked against the digest.
  const raw = Buffer.from(canonicalJson({ nonce: id_token.nonce ?? null, sets }))
  const trusted = sets.filter((set) => isTrusted(set, rule))
  if (trusted.length === 0) return externalDecision(raw, 'fail', {}, ['unsupported'])
  const complete = trusted.filter((set) => hasClaims(set, rule))
  if (complete.length === 0) return externalDecision(raw, 'fail', {}, ['data_mismatch'])
  const recent = complete.find((set) => isRecent(set, rule, now_ms))
  if (recent === undefined) return externalDecision(raw, 'fail', {}, ['document_expired'])
  return externalDecision(raw, 'pass', hasDocument(recent) ? { document: true } : { database: true })
}

function listedMembers(value: unknown): JsonMembers[] {
  const members = jsonMembers(value)
  return members === undefined ? [] : [members]
}

function verificationOf({ verification }: JsonMembers): JsonMembers {
  return jsonMembers(verification) ?? {}
}

function isTrusted(set: JsonMembers, { trust_frameworks }: AssuranceRule): boolean {
  const { trust_framework } = verificationOf(set)
  return typeof trust_framework === 'string' && trust_frameworks.includes(trust_framework)
}

function hasClaims(set: JsonMembers, { claims }: AssuranceRule): boolean {
  const given = jsonMembers(set.claims) ?? {}
  return claims.every((name) => given[name] !== undefined && given[name] !== null && given[name] !== '')
}

function isRecent(set: JsonMembers, { max_age_days }: AssuranceRule, now_ms: number): boolean {
  if (max_age_days === 0) return true
  const { time } = verificationOf(set)
  const age_ms = typeof time === 'string' ? now_ms - Date.parse(time) : Number.NaN
  return age_ms >= -CLOCK_SKEW_MS && age_ms <= max_age_days * DAY_MS
}

function hasDocument(set: JsonMembers): boolean {
  return [verificationOf(set).evidence]
    .flat()
    .some((one) => ['document', 'id_document'].includes(String(jsonMembers(one)?.type)))
}

/** Turns the client's sign-in errors into failures of this provider. */
async function sorted<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    if (!(cause instanceof AuthorityError)) throw cause
    throw new ProviderFailure(cause.code === 'provider_unavailable' ? 'unavailable' : 'refused', { cause })
  }
}
