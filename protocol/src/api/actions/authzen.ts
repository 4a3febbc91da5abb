import { ACTORS, about } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AarId,
  AnyObject,
  ApprovalId,
  Closed,
  DenialDetails,
  DenialId,
  described,
  Flag,
  Instant,
  Jti,
  OneOf,
  ProvenanceRef,
  REASONS,
  Text,
  TrustScore,
  Usd,
} from '../shapes.ts'

/** OpenID AuthZEN Authorization API 1.0. Its objects may hold members that the service does not use. */
const OPEN = { additionalProperties: true } as const
const MAX_NAME = { minLength: 1, maxLength: 256 }
const MAX_EVALUATIONS = 1000

const Properties = Type.Unsafe<Record<string, unknown>>({ type: 'object', maxProperties: 64 })

const AuthzenSubject = Type.Object(
  {
    type: Text('`agent` or `token`. Any other type is denied with `subject_unknown`.', {
      ...MAX_NAME,
      examples: ['agent'],
    }),
    id: Text('For `agent`: its name. For `token`: the `jti` of the token.', {
      ...MAX_NAME,
      examples: ['calendar-bot'],
    }),
    properties: Type.Optional(
      Type.Object(
        {
          vat_jti: Type.Optional(
            described(
              Jti,
              'The token of the agent. It is needed for `agent`: an agent alone has no authority.',
            ),
          ),
        },
        { ...OPEN, maxProperties: 64, description: 'Further facts about the subject.' },
      ),
    ),
  },
  { ...OPEN, title: 'AuthzenSubject', description: 'Who wants to act: an agent with its token.' },
)

const AuthzenAction = Type.Object(
  {
    name: Text('The action verb.', { ...MAX_NAME, examples: ['read'] }),
    properties: Type.Optional(
      described(
        Properties,
        'Arguments of the action. They are the `metadata` that limits on arguments and approvals apply to.',
      ),
    ),
  },
  { ...OPEN, title: 'AuthzenAction', description: 'What the subject wants to do.' },
)

const AuthzenResource = Type.Object(
  {
    type: Text('The namespace of the resource.', { ...MAX_NAME, examples: ['calendar'] }),
    id: Text('The name in that namespace.', { ...MAX_NAME, examples: ['events'] }),
    properties: Type.Optional(described(Properties, 'Further facts about the resource. They are not used.')),
  },
  { ...OPEN, title: 'AuthzenResource', description: 'The resource `<type>:<id>`.' },
)

const AuthzenContext = Type.Object(
  {
    record: Type.Optional(
      Flag(
        'True: decide as `authorize` does. An allowed action opens a pending record (`aar_id` in the response), and a denial is stored. By default nothing is stored.',
      ),
    ),
    spend_usd: Type.Optional(described(Usd, 'Estimated cost in US dollars.')),
    approval_id: Type.Optional(described(ApprovalId, 'The approval for this action.')),
    parent_aar_id: Type.Optional(described(AarId, 'The action record that caused this action.')),
  },
  {
    ...OPEN,
    title: 'AuthzenContext',
    description: 'Facts about the request. Members that are not named here are ignored.',
  },
)

export const AUTHZEN_REASONS = ['subject_unknown', 'subject_mismatch', 'token_required', ...REASONS] as const
export type AuthzenReason = (typeof AUTHZEN_REASONS)[number]

const AuthzenDecisionContext = Type.Object(
  {
    id: Type.Optional(
      OneOf(AUTHZEN_REASONS, {
        description:
          'The most important reason for a denial. Besides the reasons of `authorize`: `subject_unknown` (not an agent or token of this service), `subject_mismatch` (the token belongs to another agent), `token_required` (`subject.properties.vat_jti` is missing).',
      }),
    ),
    reason_admin: Type.Optional(
      AnyObject<Record<string, string>>({ description: 'All reasons, for administrators, by language.' }),
    ),
    reason_user: Type.Optional(
      AnyObject<Record<string, string>>({ description: 'What the caller can do, by language.' }),
    ),
    details: DenialDetails,
    error: Type.Optional(
      Closed(
        { status: Type.Integer({ description: 'HTTP status.' }), message: Text('What was wrong.') },
        { description: 'Why this evaluation could not be made.' },
      ),
    ),
    aar_id: Type.Optional(described(AarId, 'The pending record, with `context.record`.')),
    expires_at: Type.Optional(described(Instant, 'When the pending record expires.')),
    denial_id: Type.Optional(described(DenialId, 'The stored denial, with `context.record`.')),
    approval_id: Type.Optional(described(ApprovalId, 'The approval to wait for, with `context.record`.')),
    provenance_ref: Type.Optional(ProvenanceRef),
    trust_score: Type.Optional(TrustScore),
  },
  { title: 'AuthzenDecisionContext', description: 'Why, and what was stored.' },
)

const DECISION = Flag('Whether the action is allowed.')
const AuthzenDecision = Closed(
  { decision: DECISION, context: AuthzenDecisionContext },
  { title: 'AuthzenDecision' },
)

const Evaluated = {
  subject: AuthzenSubject,
  action: AuthzenAction,
  resource: AuthzenResource,
  context: Type.Optional(AuthzenContext),
}

const AuthzenEvaluation = Type.Object(Evaluated, { ...OPEN, title: 'AuthzenEvaluation' })

const Defaults = {
  subject: Type.Optional(AuthzenSubject),
  action: Type.Optional(AuthzenAction),
  resource: Type.Optional(AuthzenResource),
  context: Type.Optional(AuthzenContext),
}

const TOKEN_AT = '/body/subject/properties/vat_jti'

export const evaluateAccess = operation({
  method: 'POST',
  path: '/access/v1/evaluation',
  tag: 'Actions',
  summary: 'Evaluate access (AuthZEN)',
  description:
    'The Access Evaluation API of the OpenID AuthZEN Authorization API 1.0, answered by the same rules as `authorize`. For an unknown subject or resource the decision is false, not an error. Nothing is stored unless `context.record` is true.',
  body: AuthzenEvaluation,
  response: AuthzenDecision,
  access: { ...about('token', TOKEN_AT, ['/body/subject/id']), ...ACTORS },
  errors: [],
})

export const EVALUATION_SEMANTICS = ['execute_all', 'deny_on_first_deny', 'permit_on_first_permit'] as const

export const evaluateAccesses = operation({
  method: 'POST',
  path: '/access/v1/evaluations',
  tag: 'Actions',
  summary: 'Evaluate many accesses (AuthZEN)',
  description:
    'The Access Evaluations API of the OpenID AuthZEN Authorization API 1.0. Top-level fields are defaults for each evaluation. Without `evaluations` the call is a single evaluation.',
  body: Type.Object(
    {
      ...Defaults,
      evaluations: Type.Optional(
        Type.Array(Type.Object(Defaults, { ...OPEN, title: 'AuthzenEvaluationItem' }), {
          maxItems: MAX_EVALUATIONS,
          description: 'The evaluations. A field that one leaves out is taken from the top level.',
        }),
      ),
      options: Type.Optional(
        Type.Object(
          {
            evaluations_semantic: Type.Optional(
              OneOf(EVALUATION_SEMANTICS, {
                description:
                  '`execute_all` by default. The others stop after the first denial or the first permit, and return only the evaluations made until then.',
              }),
            ),
          },
          { ...OPEN, description: 'How to evaluate.' },
        ),
      ),
    },
    OPEN,
  ),
  response: Closed({
    decision: Type.Optional(described(DECISION, 'The decision, if there were no `evaluations`.')),
    context: Type.Optional(AuthzenDecisionContext),
    evaluations: Type.Optional(
      Type.Array(AuthzenDecision, { description: 'The decisions, in the order of the request.' }),
    ),
  }),
  access: {
    ...about('token', TOKEN_AT, [
      '/body/subject/id',
      '/body/evaluations/*/subject/id',
      '/body/evaluations/*/subject/properties/vat_jti',
    ]),
    ...ACTORS,
  },
  errors: [],
})
