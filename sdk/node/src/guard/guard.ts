import { isResource } from '../../../../protocol/src/encoding/grammar.ts'
import { CREDENTIAL_FAULTS, CredentialError } from '../../../../protocol/src/proof/credential-fault.ts'
import { DEFAULT_TENANT } from '../../../../protocol/src/token/agent-name.ts'
import { allowsAction, allowsResource } from '../../../../protocol/src/token/scope.ts'
import { completion, type Outcome } from '../authority.ts'
import { connectionOf, methodsOf } from '../client.ts'
import { DeputyError } from '../errors.ts'
import type { AuthorizeResponse, Claims } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import {
  type ActionSpan,
  errorType,
  factsOf,
  noSpan,
  OTHER_ERROR,
  type Tracing,
  traceOf,
} from '../tracing.ts'
import { TokenRefused, tokenVerifier, type VerifiedToken } from '../verify-token.ts'
import { proofJudge } from './presented-proof.ts'
import { notAllowed, unauthenticated, unavailable } from './refusal.ts'

/** How a guard reaches the service, and what this API is called. An option that is not here is refused. */
export interface GuardOptions {
  /** The address of the authority service. */
  readonly url: string
  /** In keyed mode: an API key of the role `resource_server`. */
  readonly key?: string | undefined
  /** The name of this API in tokens (`aud`). Tokens for others are refused. Needed in keyed mode. */
  readonly audience?: string | undefined
  /** The address under which callers reach this API. Proofs are made for it; the audience when that is an address. */
  readonly public_url?: string | undefined
  /** Who must have issued tokens; what the service says of itself when absent. */
  readonly issuer?: string | undefined
  /** The tenant of this API. With a key the service tells it; `default` otherwise. Nothing is decided here for another. */
  readonly tenant_id?: string | undefined
  /**
   * When the service cannot be asked: `refuse` answers 503; `allow_verified` lets through what `offline` would, unrecorded.
   * `refuse` when absent.
   */
  readonly on_unavailable?: 'refuse' | 'allow_verified' | undefined
  /** Hears of records that could not be completed. They expire by themselves. Written to the console when absent. */
  readonly on_incomplete?: ((error: unknown, aar_id: string) => void) | undefined
  /** Another one than that of the runtime. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** For each attempt to ask the service; 5 seconds when absent. */
  readonly timeout_ms?: number | undefined
  /** How often the service is asked again; once when absent. */
  readonly retries?: number | undefined
  /** Makes a span of every action, below that of the caller: `openTelemetry()`. */
  readonly tracing?: Tracing | undefined
  /** The time in milliseconds, for tests. */
  readonly clock?: (() => number) | undefined
}

/** What a route may say besides action and resource. */
export interface RouteOptions<Request> {
  /** Decides here, from the token alone, and records nothing: for reads. Tokens with limits are still asked about. */
  readonly offline?: boolean | undefined
  /** An estimate of what the action costs. */
  readonly spend_usd?: number | ((request: Request) => number) | undefined
  readonly metadata?: ((request: Request) => Record<string, unknown>) | undefined
}

/** In whose name a request is made, for the handler. */
export interface RequestAuthority {
  readonly jti: string
  readonly agent_id: string
  readonly human_ref: string
  readonly action: string
  readonly resource: string
  readonly claims: Claims
  readonly provenance_ref: string
  /** Undefined when it was decided offline: then nothing is recorded. */
  readonly aar_id: string | undefined
  /** Says how the action ended, where the status of the answer does not say it. */
  outcome(outcome: Outcome): void
}

/** A request as every framework can show it. */
export interface GuardedRequest {
  readonly method: string
  /** Path and query, as they stand in the request line. */
  readonly target: string
  readonly header: (name: string) => string | undefined
}

export interface Asked {
  readonly action: string
  readonly resource: string
  readonly offline: boolean
  readonly spend_usd: number | undefined
  readonly metadata: Record<string, unknown> | undefined
}

/** What a guard answers instead of the handler (RFC 9457). */
export interface RefusedAnswer {
  readonly status: number
  /** The same as in the body. */
  readonly code: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Readonly<Record<string, unknown>>
}

/** The handler may run. */
export interface Admitted {
  readonly authority: RequestAuthority
  /** Runs the handler as a part of its action. */
  during<T>(handler: () => T): T
  /**
   * Completes the record. Never throws: the answer of the handler is not its hostage. Absent when nobody asks how it
   * ended, because it was decided offline.
   */
  readonly finish: Finish | undefined
}

export type Finish = (end: {
  readonly succeeded: boolean
  readonly result_hash: string | undefined
}) => Promise<void>

export type Admission = { readonly refused: RefusedAnswer } | { readonly admitted: Admitted }

export interface Guard {
  admit(request: GuardedRequest, asked: Asked): Promise<Admission>
}

type ShownToken = VerifiedToken & { readonly compact_jwt: string }

const TIMEOUT_MS = 5_000
const OPTIONS: Record<keyof GuardOptions, true> = {
  url: true,
  key: true,
  audience: true,
  public_url: true,
  issuer: true,
  tenant_id: true,
  on_unavailable: true,
  on_incomplete: true,
  fetch: true,
  timeout_ms: true,
  retries: true,
  tracing: true,
  clock: true,
}
const CREDENTIAL = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i

export function guard(options: GuardOptions): Guard {
  checkOptions(options, OPTIONS)
  const { url, key, audience, fetch, timeout_ms = TIMEOUT_MS, retries = 1, clock = Date.now } = options
  if (key !== undefined && audience === undefined)
    throw new TypeError('In keyed mode a guard needs the audience that tokens name it by.')
  const { tracing } = options
  const client = methodsOf(connectionOf({ url, key, fetch, timeout_ms, retries, tracing }))
  const verifying = { url, key, audience, fetch, issuer: options.issuer, clock }
  const verifier = tokenVerifier({ ...verifying, revocations: false })
  const strictVerifier = tokenVerifier(verifying)
  const proofs = proofJudge(clock)
  const isLenient = options.on_unavailable === 'allow_verified'
  /** Unknown until the service has decided about a token for our key: it does so for those of our tenant only. */
  let tenant_id = options.tenant_id ?? (key === undefined ? DEFAULT_TENANT : undefined)

  /** Anybody can write any audience into the tokens of their own tenant, and any scope. */
  function isOurs({ svc_tenant = DEFAULT_TENANT }: Claims): boolean {
    return svc_tenant === tenant_id
  }

  /** The token that the caller shows, if it is good in itself and theirs. */
  async function shownToken(request: GuardedRequest): Promise<ShownToken> {
    const header = request.header('authorization')
    if (header === undefined) throw new CredentialError('credential_missing')
    const [, scheme, compact_jwt] = CREDENTIAL.exec(header) ?? []
    if (scheme === undefined || compact_jwt === undefined) throw new CredentialError('credential_malformed')
    const token = await verifier.verify(compact_jwt)
    await checkProof(request, token, scheme.toLowerCase() === 'dpop', compact_jwt)
    return { ...token, compact_jwt }
  }

  async function checkProof(
    { method, target, header }: GuardedRequest,
    { claims }: VerifiedToken,
    isDpop: boolean,
    compact_jwt: string,
  ): Promise<void> {
    const { cnf } = claims
    if (cnf === undefined && isDpop) throw new CredentialError('token_not_bound')
    if (cnf === undefined) return
    const text = header('dpop')
    if (!isDpop || text === undefined) throw new CredentialError('proof_required')
    // Another kind of binding than ours never passes as none.
    if (typeof cnf.jkt !== 'string') throw new CredentialError('token_refused', 'bad_claim')
    // A request line may hold a whole address, which would go on where the name of our host ends.
    if (!target.startsWith('/')) throw new CredentialError('proof_refused', 'other_url')
    await proofs.judge({ text, method, url: `${publicUrl()}${target}`, compact_jwt, jkt: cnf.jkt })
  }

  function publicUrl(): string {
    const { public_url = audience } = options
    if (public_url === undefined || !/^https?:/.test(public_url))
      throw new TypeError(
        'The guard needs public_url to check proofs: the address under which callers reach this API.',
      )
    return public_url.replace(/\/+$/, '')
  }

  async function decide(
    request: GuardedRequest,
    token: ShownToken,
    asked: Asked,
    span: ActionSpan,
  ): Promise<Admission> {
    const canDecide = () => isOurs(token.claims) && isDecidableHere(token.claims)
    if (asked.offline && canDecide()) return decideHere(token, asked, span)
    // Whoever wants to decide alone one day has to know by then what was revoked.
    if (isLenient) strictVerifier.verify(token.compact_jwt).catch(() => undefined)
    try {
      return await askService(request, token, asked, span)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return isLenient && canDecide()
        ? decideHere(token, asked, span)
        : { refused: unavailable('The authority service did not answer.') }
    }
  }

  async function askService(
    request: GuardedRequest,
    token: ShownToken,
    { action, resource, spend_usd, metadata }: Asked,
    span: ActionSpan,
  ): Promise<Admission> {
    const decision = await client.authorize(
      {
        vat_jti: token.jti,
        action,
        resource,
        spend_usd,
        metadata,
        approval_id: request.header('deputy-approval'),
      },
      { headers: { ...span.headers(), ...(key !== undefined && { 'deputy-token': token.compact_jwt }) } },
    )
    span.tell(factsOf(decision))
    tenant_id ??= token.claims.svc_tenant ?? DEFAULT_TENANT
    if (!decision.authorized || decision.aar_id === undefined) return { refused: denied(decision) }
    return { admitted: recorded(token, { action, resource, spend_usd }, decision.aar_id, span) }
  }

  function recorded(
    token: VerifiedToken,
    what: Pick<Asked, 'action' | 'resource' | 'spend_usd'>,
    aar_id: string,
    span: ActionSpan,
  ): Admitted {
    let told: Outcome = {}
    let finished: Promise<void> | undefined
    const complete = (result: string, result_hash: string | undefined) => {
      span.tell({ spend_usd: told.spend_usd ?? what.spend_usd })
      const outcome = { id: aar_id, ...completion({ result, ...told }), result_hash }
      const headers = { ...span.headers() }
      return span.during(() => client.completeRecord(outcome, { retries: 3, headers }))
    }
    return {
      during: span.during,
      authority: {
        ...authorityOf(token, what, aar_id),
        outcome: (outcome) => {
          told = { ...told, ...outcome }
        },
      },
      finish({ succeeded, result_hash }) {
        finished ??= complete(succeeded ? 'success' : 'error', result_hash)
          .then(
            () => undefined,
            (error) => (options.on_incomplete ?? warn)(error, aar_id),
          )
          .finally(() => span.end(succeeded ? undefined : OTHER_ERROR))
        return finished
      },
    }
  }

  async function decideHere({ compact_jwt }: ShownToken, asked: Asked, span: ActionSpan): Promise<Admission> {
    const token = await strictVerifier.verify(compact_jwt)
    const { svc_scope, svc_constraints = {} } = token.claims
    const reasons = [
      ...(allowsAction(svc_scope, asked.action) ? [] : ['action_not_in_scope']),
      ...(allowsResource(svc_scope, asked.resource) ? [] : ['resource_not_in_scope']),
      ...untimely(svc_constraints, clock()),
    ]
    span.tell({ authorized: reasons.length === 0, ...(reasons.length > 0 && { reasons }) })
    if (reasons.length > 0) return { refused: denied({ reasons }) }
    const authority = { ...authorityOf(token, asked, undefined), outcome: () => undefined }
    const finish: Finish = async ({ succeeded }) => span.end(succeeded ? undefined : OTHER_ERROR)
    return {
      admitted: { authority, during: span.during, finish: tracing === undefined ? undefined : finish },
    }
  }

  /** The span goes on until the handler has ended, unless that never begins. */
  async function decideInSpan(request: GuardedRequest, token: ShownToken, asked: Asked): Promise<Admission> {
    const span = spanOf(request, token, asked)
    try {
      const admission = await span.during(() => decide(request, token, asked, span))
      if ('refused' in admission) span.end(admission.refused.code)
      return admission
    } catch (error) {
      span.end(errorType(error))
      throw error
    }
  }

  /** Below the active span; where there is none, below that of the caller, also without anybody who follows traces. */
  function spanOf(request: GuardedRequest, token: VerifiedToken, { action, resource }: Asked): ActionSpan {
    const { jti: vat_jti, agent_id, claims } = token
    const incoming = traceOf(request.header)
    const known = { vat_jti, agent_id, provenance_ref: claims.svc_provenance_ref }
    return tracing?.begin({ tool: action, action, resource, ...known }, incoming) ?? noSpan(incoming)
  }

  return {
    async admit(request, asked) {
      try {
        const token = await shownToken(request)
        if (isResource(asked.resource)) return await decideInSpan(request, token, asked)
        const reason = 'resource_not_in_scope'
        return { refused: notAllowed('What was asked for is no resource.', { reason }) }
      } catch (error) {
        return { refused: refusalFor(error, proofs.nonce) }
      }
    },
  }
}

function authorityOf(
  { jti, agent_id, human_ref, claims }: VerifiedToken,
  { action, resource }: Pick<Asked, 'action' | 'resource'>,
  aar_id: string | undefined,
): Omit<RequestAuthority, 'outcome'> {
  const provenance_ref = claims.svc_provenance_ref
  return { jti, agent_id, human_ref, action, resource, claims, provenance_ref, aar_id }
}

/** Limits that need no count, no clock of people and nobody's word but the token's. */
const PLAIN_LIMITS: readonly string[] = [
  'not_before',
  'expires_at',
  'max_delegation_depth',
  'allowed_audiences',
]

/** Whether the token says all there is to say: no limits that only the service keeps, and no policies that ask for it. */
function isDecidableHere({ svc_constraints = {}, svc_policy_assertions }: Claims): boolean {
  const limits = Object.keys(svc_constraints)
  return (
    svc_policy_assertions === undefined &&
    limits.every((name) => PLAIN_LIMITS.includes(name) || name.startsWith('x_'))
  )
}

function untimely({ not_before, expires_at }: Readonly<Record<string, unknown>>, now_ms: number): string[] {
  if (typeof not_before === 'string' && Date.parse(not_before) > now_ms) return ['token_not_yet_valid']
  return typeof expires_at === 'string' && Date.parse(expires_at) <= now_ms ? ['token_expired'] : []
}

function denied(
  decision: Pick<AuthorizeResponse, 'denial_id' | 'approval_id'> & { readonly reasons?: readonly string[] },
) {
  const { reasons = [], denial_id, approval_id } = decision
  const isAsked = approval_id !== undefined
  const detail = isAsked
    ? 'A human was asked. Send the request again with the header Deputy-Approval once it is approved.'
    : `The token does not allow this: ${reasons.join(', ')}.`
  return notAllowed(detail, {
    reason: reasons[0],
    reasons,
    ...(denial_id !== undefined && { denial_id }),
    ...(isAsked && { approval_id }),
  })
}

/** Neither a yes nor a no: the service was not there, or did not take our own credential. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof DeputyError)) return false
  const { code, status, problem } = error
  const isOurs =
    code === 'credential_required' || code === 'role_not_allowed' || problem.reason === 'key_refused'
  return isOurs || status === 0 || status === 429 || status >= 500 || code === 'unexpected_answer'
}

const UNAVAILABLE_CODES: readonly string[] = ['keys_unavailable', 'standing_unavailable']

function refusalFor(error: unknown, nonce: () => string): RefusedAnswer {
  if (error instanceof TokenRefused) {
    if (UNAVAILABLE_CODES.includes(error.code)) return unavailable(error.message)
    return unauthenticated('token_refused', error.message, { reason: error.code })
  }
  if (error instanceof CredentialError) {
    const { fault, reason, message } = error
    if (CREDENTIAL_FAULTS[fault].status === 503) return unavailable(`${message}.`)
    return unauthenticated(fault, `${message}.`, {
      ...(reason !== fault && { reason }),
      ...(fault === 'nonce_required' && { nonce: nonce() }),
    })
  }
  // What the service refuses of a request that is ours in form is about the token or about what was asked for.
  if (error instanceof DeputyError && (error.status === 401 || error.status === 404))
    return unauthenticated('token_refused', 'The service does not take this token.', {
      reason: typeof error.problem.reason === 'string' ? error.problem.reason : error.code,
    })
  if (error instanceof DeputyError) return notAllowed(error.message, { reason: error.code })
  throw error
}

function warn(error: unknown, aar_id: string): void {
  console.warn(`The action record ${aar_id} could not be completed.`, error)
}

/** A value, or what a function makes of the request. */
export function valueFor<Request, Value>(
  given: Value | ((request: Request) => Value),
  request: Request,
): Value {
  return given instanceof Function ? given(request) : given
}

export function askedFor<Request>(
  action: string,
  resource: string | ((request: Request) => string),
  { offline = false, spend_usd, metadata }: RouteOptions<Request>,
  request: Request,
): Asked {
  return {
    action,
    resource: valueFor(resource, request),
    offline,
    spend_usd: valueFor(spend_usd, request),
    metadata: metadata?.(request),
  }
}
