import { AuthorityError, invalidField, LEVELS } from '@deputize/protocol'
import { evaluate, type Policy, type PolicySubject } from '../domain/policy.ts'
import { subjectOf } from './assertions.ts'
import type { Call, Handler, OperationContext } from './operation-context.ts'

export const listPolicies: Handler<'listPolicies'> = async (_call, { policies }) => ({
  data: policies.map(({ name, version, title, note, rules }) => ({
    name,
    version,
    title,
    note,
    rule_count: rules.length,
  })),
})

export const getPolicy: Handler<'getPolicy'> = async ({ params }, context) =>
  policyNamed(params.name, context)

export const evaluatePolicies: Handler<'evaluatePolicies'> = async ({ body }, context) => {
  const policies = body.policy_assertions.map((name) => policyNamed(name, context))
  const subject = body.vat_jti === undefined ? imagined(body) : await existing(body.vat_jti, body, context)
  const findings = policies.flatMap((policy) =>
    evaluate(policy, subject).map((finding) => ({ framework: policy.name, ...finding })),
  )
  return { met: findings.every(({ met }) => met), findings }
}

type EvaluateBody = Call<'evaluatePolicies'>['body']

function policyNamed(name: string, { policies }: OperationContext): Policy {
  const policy = policies.find((known) => known.name === name)
  if (policy === undefined) throw new AuthorityError('policy_unknown')
  return policy
}

async function existing(
  jti: string,
  { policy_assertions: _names, vat_jti: _jti, ...rest }: EvaluateBody,
  { reader }: OperationContext,
): Promise<PolicySubject> {
  const [surplus] = Object.keys(rest)
  if (surplus !== undefined) throw invalidField(`/${surplus}`, 'must be left out when vat_jti names a token')
  const chain = await reader.chain(jti)
  if (chain === undefined) throw new AuthorityError('token_unknown')
  return subjectOf(chain[0].token.claims)
}

/** The root token that such a request would yield. It names its human, as every token does. */
function imagined({
  resources,
  actions,
  assurance_level = 'L1',
  expires_in,
  key_bound = false,
}: EvaluateBody) {
  if (resources === undefined) throw invalidField('/resources', 'is required unless vat_jti names a token')
  if (actions === undefined) throw invalidField('/actions', 'is required unless vat_jti names a token')
  const { default_lifetime_s, max_lifetime_s } = LEVELS[assurance_level]
  const lifetime_s = expires_in ?? default_lifetime_s
  if (lifetime_s > max_lifetime_s)
    throw invalidField('/expires_in', `must be at most ${max_lifetime_s} at ${assurance_level}`)
  const human_ref = 'named at issue'
  return { scope: { resources, actions }, assurance_level, human_ref, lifetime_s, is_key_bound: key_bound }
}
