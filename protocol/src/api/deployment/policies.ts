import { type Static, Type } from 'typebox'
import { ANY_ROLE, about, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Action, AssuranceLevel, Closed, Jti, OneOf, ResourcePattern } from '../shapes.ts'

export const POLICY_NAMES = ['HIPAA', 'SOC2', 'NIST_ZTA'] as const
export type PolicyName = (typeof POLICY_NAMES)[number]

const Name = OneOf(POLICY_NAMES)
const Version = Type.String({ description: 'Version of the mapping, not of the framework.' })
const Control = Type.String({
  description: 'The control of the framework that the rule stands for.',
  examples: ['45 CFR 164.502(b)'],
})
const Sentence = Type.String({
  description: 'What must hold, in one sentence.',
  examples: ['The scope names each resource and no whole namespace.'],
})
const Evidence = Type.String({ description: 'What was looked at.', examples: ['2 resources, no wildcard'] })

/** Policies that a token is to meet, in the body of an issue or a delegation. */
export const PolicyAssertions = Type.Array(Name, {
  minItems: 1,
  maxItems: 8,
  uniqueItems: true,
  description:
    'Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification.',
  examples: [['HIPAA']],
})

/** One policy that a token met when it was issued, as its claims carry it. */
export const PolicyAssertion = Closed({
  framework: Name,
  version: Version,
  controls: Type.Array(Closed({ id: Control, rule: Sentence, evidence: Evidence })),
})
export type PolicyAssertion = Static<typeof PolicyAssertion>

/** The claim `svc_policy_assertions`. */
export const PolicyAssertionClaim = Type.Array(PolicyAssertion, {
  description: 'Policies whose rules the service checked when it issued the token. Never a certification.',
})

/** Checks that compare nothing: they hold or they do not. */
export const PLAIN_CHECKS = [
  'no_wildcard',
  'key_bound',
  'named_human',
  'logged',
  'revocable',
  'decided_per_request',
] as const

/** Everything that a rule can check about a token. */
export const CHECK_KINDS = ['max_lifetime_s', 'min_level', ...PLAIN_CHECKS] as const

export const PolicyCheck = Type.Union([
  Closed({ kind: Type.Literal('max_lifetime_s'), value: Type.Integer({ minimum: 1 }) }),
  Closed({ kind: Type.Literal('min_level'), value: AssuranceLevel }),
  Closed({ kind: OneOf(PLAIN_CHECKS) }),
])
export type PolicyCheck = Static<typeof PolicyCheck>

export const PolicyRule = Closed({
  id: Type.String({ description: 'Name of the rule within its policy.', examples: ['minimum_necessary'] }),
  control: Control,
  sentence: Sentence,
  check: PolicyCheck,
})
export type PolicyRule = Static<typeof PolicyRule>

export const Policy = Closed({
  name: Name,
  version: Version,
  title: Type.String(),
  note: Type.String({ description: 'What the policy is not.' }),
  rules: Type.Array(PolicyRule),
})
export type Policy = Static<typeof Policy>

export const listPolicies = operation({
  method: 'GET',
  path: '/v1/vat/policies',
  tag: 'Policies',
  summary: 'List the policies',
  description: 'Each maps controls of a framework to checks of a token. It is never a certification.',
  response: Closed({
    data: Type.Array(
      Closed({
        name: Name,
        version: Version,
        title: Type.String(),
        note: Policy.properties.note,
        rule_count: Type.Integer({ minimum: 0 }),
      }),
    ),
  }),
  access: ANY_ROLE,
  errors: [],
})

export const getPolicy = operation({
  method: 'GET',
  path: '/v1/vat/policies/{name}',
  tag: 'Policies',
  summary: 'Read a policy',
  description: 'Every rule: the control it stands for, one sentence, and the check the service makes.',
  params: Closed({ name: Type.String({ minLength: 1, maxLength: 64, examples: ['HIPAA'] }) }),
  response: Policy,
  access: ANY_ROLE,
  errors: ['policy_unknown'],
})

export const evaluatePolicies = operation({
  method: 'POST',
  path: '/v1/vat/policies/evaluate',
  tag: 'Policies',
  summary: 'Try policies on a token',
  description:
    'Answers rule by rule what issuing with these `policy_assertions` would find, for an existing token (`vat_jti`) or for one that is only thought of (`resources`, `actions` and the rest). Stores nothing.',
  body: Closed({
    policy_assertions: PolicyAssertions,
    vat_jti: Type.Optional(Jti),
    resources: Type.Optional(Type.Array(ResourcePattern, { minItems: 1, maxItems: 256, uniqueItems: true })),
    actions: Type.Optional(Type.Array(Action, { minItems: 1, maxItems: 256, uniqueItems: true })),
    assurance_level: Type.Optional(AssuranceLevel),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description: 'Lifetime in seconds; what the level gives when absent.',
      }),
    ),
    key_bound: Type.Optional(
      Type.Boolean({ description: 'Whether the token would be bound to a key of the agent (`agent_jwk`).' }),
    ),
  }),
  example: {
    policy_assertions: ['HIPAA', 'SOC2'],
    resources: ['records:visits'],
    actions: ['read'],
    assurance_level: 'L2',
    expires_in: 3600,
  },
  response: Closed({
    met: Type.Boolean({ description: 'Whether every rule of every policy is met.' }),
    findings: Type.Array(
      Closed({
        framework: Name,
        id: PolicyRule.properties.id,
        control: Control,
        rule: Sentence,
        met: Type.Boolean(),
        evidence: Evidence,
      }),
    ),
  }),
  access: { ...about('token', '/body/vat_jti'), ...READERS },
  errors: ['token_unknown'],
})
