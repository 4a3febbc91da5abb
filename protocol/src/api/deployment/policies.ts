import type { Static } from 'typebox'
import { ANY_ROLE, about, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Action, AssuranceLevel, Closed, described, Jti, OneOf, ResourcePattern, Score } from '../shapes.ts'

export const POLICY_NAMES = ['HIPAA', 'HIPAA_L3', 'SOC2', 'SOC2_VOUCHED', 'NIST_ZTA', 'NIST_ZTA_L3'] as const

const Name = OneOf(POLICY_NAMES, { title: 'PolicyName', description: 'Name of the policy.' })
const Version = Type.String({ description: 'Version of the mapping, not of the framework itself.' })
const Control = Type.String({
  description: 'The control of the framework that the rule maps to.',
  examples: ['45 CFR 164.502(b)'],
})
const Sentence = Type.String({
  description: 'The rule, in one sentence.',
  examples: ['The scope names each resource and no whole namespace.'],
})
const Evidence = Type.String({ description: 'What the check found.', examples: ['2 resources, no wildcard'] })

/** Policies that a new token must meet. */
export const PolicyAssertions = Type.Array(Name, {
  minItems: 1,
  maxItems: 8,
  foldsRepeats: true,
  description:
    'Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification.',
  examples: [['HIPAA']],
})

/** One policy that a token met when it was issued, as its claims carry it. */
export const PolicyAssertion = Closed(
  {
    framework: Name,
    version: Version,
    controls: Type.Array(Closed({ id: Control, rule: Sentence, evidence: Evidence }), {
      description: 'The rules that were met.',
    }),
  },
  { title: 'PolicyAssertion', description: 'A policy that the token met when it was issued.' },
)
export type PolicyAssertion = Static<typeof PolicyAssertion>

/** The claim `svc_policy_assertions`. */
export const PolicyAssertionClaim = Type.Array(PolicyAssertion, {
  description: 'Policies whose rules the service checked when it issued the token. Not a certification.',
})

/** Checks without a value to compare. */
export const PLAIN_CHECKS = [
  'no_wildcard',
  'key_bound',
  'named_human',
  'logged',
  'revocable',
  'decided_per_request',
] as const

/** Every check that a rule can make. */
export const CHECK_KINDS = [
  'max_lifetime_s',
  'min_level',
  'verified_within_s',
  'min_vouch_score',
  ...PLAIN_CHECKS,
] as const

export const PolicyCheck = Type.Union(
  [
    Closed(
      {
        kind: Type.Literal('max_lifetime_s', { description: 'The lifetime is at most the value.' }),
        value: Type.Integer({ minimum: 1, description: 'Seconds.' }),
      },
      { title: 'LifetimeCheck' },
    ),
    Closed(
      {
        kind: Type.Literal('min_level', { description: 'The assurance level is at least the value.' }),
        value: AssuranceLevel,
      },
      { title: 'LevelCheck' },
    ),
    Closed(
      {
        kind: Type.Literal('verified_within_s', {
          description:
            'The token expires no later than this value after the biometric verification, so that the verification is never older when an action is authorized.',
        }),
        value: Type.Integer({ minimum: 1, description: 'Seconds.' }),
      },
      { title: 'VerificationAgeCheck' },
    ),
    Closed(
      {
        kind: Type.Literal('min_vouch_score', {
          description:
            'The token has the constraint `min_vouch_score` with at least the value, so that every action is decided by the score that the acting agent has then.',
        }),
        value: described(Score, 'From 0.01 to 1.'),
      },
      { title: 'VouchScoreCheck' },
    ),
    Closed(
      { kind: OneOf(PLAIN_CHECKS, { description: 'The property that must hold.' }) },
      { title: 'PlainCheck' },
    ),
  ],
  { title: 'PolicyCheck', description: 'The check that the service makes.' },
)
export type PolicyCheck = Static<typeof PolicyCheck>

export const PolicyRule = Closed(
  {
    id: Type.String({ description: 'Name of the rule within its policy.', examples: ['minimum_necessary'] }),
    control: Control,
    sentence: Sentence,
    check: PolicyCheck,
  },
  { title: 'PolicyRule', description: 'A rule of a policy.' },
)
export type PolicyRule = Static<typeof PolicyRule>

export const Policy = Closed(
  {
    name: Name,
    version: Version,
    title: Type.String({ description: 'Title of the policy.' }),
    note: Type.String({ description: 'What the policy does not claim.' }),
    rules: Type.Array(PolicyRule, { description: 'The rules.' }),
  },
  { title: 'Policy', description: 'A mapping of controls to checks of a token.' },
)
export type Policy = Static<typeof Policy>

export const listPolicies = operation({
  method: 'GET',
  path: '/v1/vat/policies',
  tag: 'Policies',
  summary: 'List policies',
  description: 'Each policy maps controls of a framework to checks of a token. It is not a certification.',
  response: Closed({
    data: Type.Array(
      Closed({
        name: Name,
        version: Version,
        title: Policy.properties.title,
        note: Policy.properties.note,
        rule_count: Type.Integer({ minimum: 0, description: 'Number of rules.' }),
      }),
      { description: 'The policies.' },
    ),
  }),
  access: ANY_ROLE,
  errors: [],
})

export const getPolicy = operation({
  method: 'GET',
  path: '/v1/vat/policies/{name}',
  tag: 'Policies',
  summary: 'Get a policy',
  description: 'Returns each rule with its control, one sentence, and the check that the service makes.',
  params: Closed({
    name: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Name of the policy.',
      examples: ['HIPAA'],
    }),
  }),
  response: Policy,
  access: ANY_ROLE,
  errors: ['policy_unknown'],
})

const PlannedList = { minItems: 1, maxItems: 256, foldsRepeats: true }

export const evaluatePolicies = operation({
  method: 'POST',
  path: '/v1/vat/policies/evaluate',
  tag: 'Policies',
  summary: 'Evaluate policies',
  description:
    'Returns rule by rule what issuing a token with these `policy_assertions` would find: for an existing token (`vat_jti` alone) or for a planned one (`resources` and `actions` are then required). Stores nothing.',
  body: Closed({
    policy_assertions: PolicyAssertions,
    vat_jti: Type.Optional(
      described(Jti, 'An existing token. Leave out everything else but `policy_assertions`.'),
    ),
    resources: Type.Optional(
      Type.Array(ResourcePattern, {
        ...PlannedList,
        description: 'Resources of a planned token. Required without `vat_jti`.',
      }),
    ),
    actions: Type.Optional(
      Type.Array(Action, {
        ...PlannedList,
        description: 'Actions of a planned token. Required without `vat_jti`.',
      }),
    ),
    assurance_level: Type.Optional(
      described(AssuranceLevel, 'Assurance level of a planned token. L1 by default.'),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description:
          'Lifetime of a planned token in seconds, at most that of its assurance level. The default of the level by default.',
      }),
    ),
    key_bound: Type.Optional(
      Type.Boolean({ description: 'Whether a planned token would be bound to a key (`agent_jwk`).' }),
    ),
    min_vouch_score: Type.Optional(
      described(Score, 'The constraint `min_vouch_score` of a planned token. None by default.'),
    ),
  }),
  body_rules: {
    if: { required: ['vat_jti'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      not: {
        anyOf: ['resources', 'actions', 'assurance_level', 'expires_in', 'key_bound', 'min_vouch_score'].map(
          (member) => ({
            required: [member],
          }),
        ),
      },
    },
    else: { required: ['resources', 'actions'] },
  },
  response: Closed({
    met: Type.Boolean({ description: 'Whether every rule of every policy is met.' }),
    findings: Type.Array(
      Closed({
        framework: Name,
        id: PolicyRule.properties.id,
        control: Control,
        rule: Sentence,
        met: Type.Boolean({ description: 'Whether the rule is met.' }),
        evidence: Evidence,
      }),
      { description: 'One finding per rule.' },
    ),
  }),
  access: { ...about('token', '/body/vat_jti'), ...READERS },
  errors: ['token_unknown'],
})
