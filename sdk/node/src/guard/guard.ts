import { isResource } from '../../../../protocol/src/encoding/grammar.ts'
import { DEFAULT_TENANT } from '../../../../protocol/src/token/agent-name.ts'
import { completion, type Outcome, readOutcome, warnIncomplete } from '../actions/action.ts'
import { duringAction } from '../actions/current-action.ts'
import { connectionOf, methodsOf } from '../client.ts'
import { DeputyError, isAway } from '../errors.ts'
import type { Claims, Methods } from '../generated/operations.ts'
import { checkOptions } from '../options.ts'
import { type ActionSpan, errorType, factsOf, noSpan, OTHER_ERROR, traceOf } from '../tracing.ts'
import { type TwoStepVerifier, twoStepVerifier } from '../verify/verify-token.ts'
import {
  type Admitted,
  type Finish,
  type GuardedRequest,
  type RequestDecision,
  requestAuthority,
} from './admission.ts'
import { type BoundMetadata, boundMetadata } from './bound-action.ts'
import { isDecidableOffline, offlineReasons } from './decide-offline.ts'
import { type DeploymentFacts, deploymentFacts } from './deployment-facts.ts'
import { GUARD_OPTIONS, type GuardOptions, type RequestedAction } from './options.ts'
import { proofJudge } from './presented-proof.ts'
import { type PresentedToken, presentedToken } from './presented-token.ts'
import { approvalNotBound, denied, notAllowed, refusalFor, unavailable, withReason } from './refusal.ts'
import { type ResourceDescription, resourceDescription } from './resource-metadata.ts'

const GUARD_TIMEOUT_MS = 5_000

export interface RequestGuard {
  admit(request: GuardedRequest, requested: RequestedAction): Promise<RequestDecision>
  readonly description: ResourceDescription
}

/** A request with a valid token. */
interface PresentedRequest {
  readonly request: GuardedRequest
  readonly token: PresentedToken
  readonly requested: RequestedAction
  readonly span: ActionSpan
}

/** The parts that decide about requests. */
interface Deciders {
  readonly options: GuardOptions
  readonly client: Methods
  readonly verifier: TwoStepVerifier
  readonly tenant: GuardTenant
  readonly facts: DeploymentFacts
  readonly clock: () => number
}

/** Decides about requests for every framework. */
export function requestGuard(options: GuardOptions): RequestGuard {
  checkOptions(options, GUARD_OPTIONS)
  const { url, key, audience, fetch, issuer, tracing, clock = Date.now } = options
  const { timeout_ms = GUARD_TIMEOUT_MS, retries = 1 } = options
  if (key !== undefined && audience === undefined)
    throw new TypeError('In keyed mode, set audience to the name that tokens use for this API.')
  const verifier = twoStepVerifier({ url, key, fetch, issuer, clock })
  const proofs = proofJudge(clock)
  const client = methodsOf(connectionOf({ url, key, fetch, timeout_ms, retries, tracing }))
  const facts = deploymentFacts(client, options)
  const description = resourceDescription(options, facts)
  const deciders = { options, client, verifier, tenant: guardTenant(options), facts, clock }
  return {
    description,
    async admit(request, requested) {
      try {
        const token = await presentedToken(request, verifier, proofs, options)
        const { resource } = requested
        // Without types, the function of a route can return anything.
        if (typeof resource === 'string' && isResource(resource))
          return await decideInSpan(deciders, request, token, requested)
        const detail = `${JSON.stringify(resource)} is not a valid resource name.`
        return { refused: notAllowed(detail, withReason('resource_not_in_scope')) }
      } catch (error) {
        return { refused: refusalFor(error, proofs.nonce, description.advertisedUrl()) }
      }
    },
  }
}

/** The tenant of this API. A token of another tenant can name any audience and scope, so only the service may decide. */
interface GuardTenant {
  owns(claims: Claims): boolean
  /**
   * Called after the service decided about a token for this API's key: it does so only for tokens of the key's tenant.
   */
  learn(claims: Claims): void
}

function guardTenant({ key, tenant_id: given }: GuardOptions): GuardTenant {
  let tenant_id = given ?? (key === undefined ? DEFAULT_TENANT : undefined)
  return {
    owns: ({ svc_tenant = DEFAULT_TENANT }) => svc_tenant === tenant_id,
    learn: ({ svc_tenant = DEFAULT_TENANT }) => {
      tenant_id ??= svc_tenant
    },
  }
}

/** Decides in a span that stays open until the handler has finished; a refused request ends it immediately. */
async function decideInSpan(
  deciders: Deciders,
  request: GuardedRequest,
  token: PresentedToken,
  requested: RequestedAction,
): Promise<RequestDecision> {
  const span = beginSpan(deciders.options, request, token, requested)
  try {
    const decision = await span.during(() => decide(deciders, { request, token, requested, span }))
    if ('refused' in decision) span.end(decision.refused.code)
    return decision
  } catch (error) {
    span.end(errorType(error))
    throw error
  }
}

/**
 * Begins a span under the active one, or else under the caller's. Without tracing, the caller's headers are passed on.
 */
function beginSpan(
  { tracing }: GuardOptions,
  request: GuardedRequest,
  { claims }: PresentedToken,
  { action, resource }: RequestedAction,
): ActionSpan {
  const incoming = traceOf(request.header)
  if (tracing === undefined) return noSpan(incoming)
  const { jti: vat_jti, sub: agent_id, svc_provenance_ref: provenance_ref } = claims
  return tracing.begin({ tool: action, action, resource, vat_jti, agent_id, provenance_ref }, incoming)
}

async function decide(deciders: Deciders, presented: PresentedRequest): Promise<RequestDecision> {
  const { options, verifier, facts } = deciders
  const { requested, token } = presented
  if (requested.offline && (await isDecidableHere(deciders, token))) return decideOffline(deciders, presented)
  const isLenient = options.on_unavailable === 'allow_verified'
  // Keeps revocations and facts fresh, so that the guard can decide alone if the service goes away.
  if (isLenient) {
    verifier.inForceUntil(token).catch(() => undefined)
    void facts.allowsBearer()
  }
  try {
    return await decideByService(deciders, presented)
  } catch (error) {
    if (!isUndecided(error)) throw error
    if (isLenient && isAway(error) && (await isDecidableHere(deciders, token)))
      return decideOffline(deciders, presented)
    const retry_after_s = error instanceof DeputyError ? error.retry_after_s : undefined
    return { refused: unavailable('The authority service did not answer. Try again later.', retry_after_s) }
  }
}

/** Whether the token alone decides: it is this tenant's, needs no check by the service, and is bound as required. */
async function isDecidableHere(
  { tenant, facts }: Deciders,
  { claims }: Pick<PresentedToken, 'claims'>,
): Promise<boolean> {
  if (!tenant.owns(claims) || !isDecidableOffline(claims)) return false
  return claims.cnf !== undefined || facts.allowsBearer()
}

async function decideByService(deciders: Deciders, presented: PresentedRequest): Promise<RequestDecision> {
  const { request, token, requested, span } = presented
  const { action, resource, spend_usd, bind_body } = requested
  const approval_id = request.header('deputy-approval')
  if (approval_id !== undefined && !bind_body) return { refused: approvalNotBound() }
  const metadata = await boundMetadata(request, requested, deciders.options)
  const decision = await deciders.client.authorize(
    { vat_jti: token.claims.jti, action, resource, spend_usd, metadata, approval_id },
    {
      headers: {
        ...span.headers(),
        ...(deciders.options.key !== undefined && { 'deputy-token': token.compact_jwt }),
      },
    },
  )
  span.tell(factsOf(decision))
  deciders.tenant.learn(token.claims)
  if (decision.authorized) return { admitted: recordedAction(deciders, presented, decision.aar_id, metadata) }
  const isUseless = decision.approval_id !== undefined && !bind_body
  return { refused: isUseless ? approvalNotBound() : denied(decision) }
}

/** Returns an admitted request whose action record is completed when the handler has finished. */
function recordedAction(
  { client, options }: Deciders,
  { token, requested, span }: PresentedRequest,
  aar_id: string,
  metadata: BoundMetadata,
): Admitted {
  const { on_incomplete = warnIncomplete } = options
  let given: Outcome = {}
  let finished: Promise<void> | undefined
  const complete = (result: string, result_hash: string | undefined) => {
    span.tell({ spend_usd: given.spend_usd ?? requested.spend_usd })
    const told = given.metadata === undefined ? {} : { metadata: { ...given.metadata, ...metadata } }
    const outcome = { id: aar_id, ...completion({ result, ...given, ...told }), result_hash }
    const headers = { ...span.headers() }
    return span.during(() => client.completeRecord(outcome, { retries: 6, headers }))
  }
  const isOver = () => finished !== undefined
  const running = { aar_id, provenance_ref: token.claims.svc_provenance_ref, isOver }
  return {
    during: (handler) => span.during(() => duringAction(running, handler)),
    authority: {
      ...requestAuthority(token.claims, requested, aar_id),
      outcome: (outcome) => {
        given = { ...given, ...readOutcome(outcome, metadata) }
      },
    },
    finish({ succeeded, result_hash }) {
      finished ??= complete(succeeded ? 'success' : 'error', result_hash)
        .then(
          () => undefined,
          (error) => on_incomplete(error, aar_id),
        )
        .finally(() => span.end(succeeded ? undefined : OTHER_ERROR))
      return finished
    },
  }
}

async function decideOffline(deciders: Deciders, presented: PresentedRequest): Promise<RequestDecision> {
  const { verifier, clock, options } = deciders
  const { requested, span, token } = presented
  await verifier.inForceUntil(token)
  const reasons = offlineReasons(token.claims, requested, clock())
  span.tell({ authorized: reasons.length === 0, ...(reasons.length > 0 && { reasons }) })
  if (reasons.length > 0) return { refused: denied({ reasons }) }
  const authority = { ...requestAuthority(token.claims, requested, undefined), outcome: () => undefined }
  const finish: Finish = async ({ succeeded }) => span.end(succeeded ? undefined : OTHER_ERROR)
  return {
    admitted: { authority, during: span.during, finish: options.tracing === undefined ? undefined : finish },
  }
}

/** Whether the service gave no decision: it did not answer, or it rejected this API's credential and not the token. */
function isUndecided(error: unknown): boolean {
  if (!(error instanceof DeputyError)) return false
  const { code, status, problem } = error
  const isOurCredential =
    code === 'credential_required' || code === 'role_not_allowed' || problem.reason === 'key_refused'
  return isOurCredential || status === 0 || status === 429 || status >= 500 || code === 'unexpected_answer'
}
