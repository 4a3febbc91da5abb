import { invalidField, LEVELS } from '@deputize/protocol'
import { evaluate, type PolicySubject } from '../../domain/tokens/policy.ts'
import { loadChain } from '../loading/load-chain.ts'
import { policySubject } from '../minting/policy-subject.ts'
import type { Handler, OperationCall, OperationContext } from '../operation-context.ts'
import { findPolicy } from './find-policy.ts'

type EvaluateBody = OperationCall<'evaluatePolicies'>['body']

export const evaluatePolicies: Handler<'evaluatePolicies'> = async ({ body }, context) => {
  const policies = body.policy_assertions.map((name) => findPolicy(name, context))
  const subject =
    body.vat_jti === undefined ? requestedToken(body) : await existingToken(body.vat_jti, body, context)
  const findings = policies.flatMap((policy) =>
    evaluate(policy, subject).map((finding) => ({ framework: policy.name, ...finding })),
  )
  return { met: findings.every(({ met }) => met), findings }
}

async function existingToken(
  jti: string,
  { policy_assertions: _names, vat_jti: _jti, ...rest }: EvaluateBody,
  context: OperationContext,
): Promise<PolicySubject> {
  const [surplus] = Object.keys(rest)
  if (surplus !== undefined) throw invalidField(`/${surplus}`, 'cannot be combined with vat_jti')
  const [{ token }] = await loadChain(jti, context)
  return policySubject(token.claims)
}

/** Returns the facts of the root token that such an issue request would yield. Every token names its person. */
function requestedToken({
  resources,
  actions,
  assurance_level = 'L1',
  expires_in,
  key_bound = false,
  min_vouch_score = 0,
}: EvaluateBody): PolicySubject {
  if (resources === undefined) throw invalidField('/resources', 'is required without vat_jti')
  if (actions === undefined) throw invalidField('/actions', 'is required without vat_jti')
  const { default_lifetime_s, max_lifetime_s } = LEVELS[assurance_level]
  const lifetime_s = expires_in ?? default_lifetime_s
  if (lifetime_s > max_lifetime_s)
    throw invalidField('/expires_in', `must be at most ${max_lifetime_s} at ${assurance_level}`)
  const human_ref = 'named at issue'
  return {
    scope: { resources, actions },
    assurance_level,
    human_ref,
    lifetime_s,
    is_key_bound: key_bound,
    // Assumes that the person is verified now, as when an L3 token is issued.
    verified_for_s: assurance_level === 'L3' ? lifetime_s : undefined,
    min_vouch_score,
  }
}
