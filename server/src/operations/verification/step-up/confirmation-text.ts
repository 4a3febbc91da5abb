import {
  AuthorityError,
  type Constraints,
  invalidField,
  isObject,
  LEVELS,
  type Level,
  type OperationId,
  plainAgent,
  visibleText,
  withoutAgentPrefix,
} from '@deputize/protocol'
import type { HumanCaller } from '../../../access/caller.ts'
import { findPasskey } from '../../../access/passkey-document.ts'
import type { StoredApproval } from '../../../domain/approvals/approval.ts'
import { requiredApprovals } from '../../../domain/approvals/approvers.ts'
import {
  constraintSentences,
  durationText,
  hasBudget,
  NO_BUDGET,
} from '../../../domain/approvals/authority-words.ts'
import { requestSummary } from '../../../domain/approvals/request-summary.ts'
import { isoInstant } from '../../../domain/times/time.ts'
import { amountText, usdText } from '../../../messages/words.ts'
import { loadApproval } from '../../loading/load-approval.ts'
import { loadRecord } from '../../loading/load-record.ts'
import type { OperationContext } from '../../operation-context.ts'
import { shownSubject } from '../../views/vouch-view.ts'

type CallMembers = Readonly<Record<string, unknown>>

interface CallToConfirm {
  readonly params: CallMembers
  readonly body: CallMembers
}

type TextWriter = (call: CallToConfirm, person: HumanCaller, context: OperationContext) => Promise<string[]>

/**
 * Returns the sentences that a person reads before they confirm a call: everything that the call does, with hidden
 * characters shown.
 */
export async function confirmationText(
  operation: OperationId,
  call: CallToConfirm,
  person: HumanCaller,
  context: OperationContext,
): Promise<string[]> {
  const write = CONFIRMATION_TEXTS[operation]
  if (write === undefined)
    throw invalidField('/operation', 'must be an operation that can be confirmed with a passkey')
  return (await write(call, person, context)).map(visibleText)
}

export const CONFIRMATION_TEXTS: Partial<Record<OperationId, TextWriter>> = {
  approve: async ({ params, body }, _person, context) =>
    decisionText('Approve', requiredText(params, '/params/id'), body, context),
  deny: async ({ params, body }, _person, context) =>
    decisionText('Deny', requiredText(params, '/params/id'), body, context),
  async decideApprovals({ body }, _person, context) {
    const lines: string[] = []
    for (const item of decisionItems(body)) {
      const verb = item.decision === 'approved' ? 'Approve' : 'Deny'
      lines.push(...(await decisionText(verb, requiredText(item, '/body/items/approval_id'), item, context)))
    }
    return lines
  },
  async rateRecord({ params, body }, _person, context) {
    const record = await loadRecord(requiredText(params, '/params/id'), context)
    const { agent_id, action, resource, created_at_ms } = record
    const done = `${quoted(plainAgent(agent_id))} ${action} ${resource} at ${isoInstant(created_at_ms)}`
    return [`Rate as ${requiredText(body, '/body/rating')}: ${done}. A rating is final.`, ...noteLines(body)]
  },
  issueL1: async ({ body }) => issueLines(body, 'L1'),
  issueL2: async ({ body }) => issueLines(body, 'L2'),
  async delegate({ body }) {
    const scope = [body.actions, body.resources].map((list) =>
      Array.isArray(list) ? list.join(', ') : 'all it holds',
    )
    return [
      `Delegate token ${requiredText(body, '/body/vat_jti')}: ${quoted(requiredText(body, '/body/agent_id'))} may ${scope.join(' on ')}.`,
      ...limitLines(body, undefined),
      ...otherLines(body, [...STATED_OR_SECRET, 'vat_jti']),
    ]
  },
  async renewToken({ body }) {
    return [
      `Renew token ${requiredText(body, '/body/vat_jti')} for ${String(body.expires_in)} seconds, with the same scope.`,
    ]
  },
  async revokeHuman({ body }, person) {
    const name = personName(body.human_ref, person)
    return [
      `Revoke every token that acts for ${name}. This takes effect now and can't be undone.`,
      ...(body.refuse_new === true
        ? [`Refuse new tokens in the name of ${name} until you accept them again.`]
        : []),
    ]
  },
  async eraseHuman({ params }, person) {
    const name = personName(params.human_ref, person)
    return [
      `Erase all personal data about ${name}, and revoke every token that acts for ${name}. This can't be undone.`,
    ]
  },
  async exportHuman({ params }, person) {
    return [`Export all data about ${personName(params.human_ref, person)}.`]
  },
  async exportBiometrics({ params }, person) {
    return [`Export the biometric template of ${personName(params.human_ref, person)}.`]
  },
  async deleteBiometrics({ params }, person) {
    const name = personName(params.human_ref, person)
    return [
      `Delete the biometric template of ${name}, and revoke every token that is based on it. This can't be undone.`,
    ]
  },
  async setDuress() {
    return ['Change your sign of coercion and who it notifies.']
  },
  async deleteDuress() {
    return ['Change your sign of coercion and who it notifies.']
  },
  async beginPasskey() {
    return ['Add another passkey that can sign in to your account.']
  },
  async vouch({ body }) {
    const { to, weight = 1, context, expires_at } = body
    return [
      `Vouch for ${withoutAgentPrefix(String(to))} with a weight of ${String(weight)}${context === undefined ? '' : `, for ${String(context)} only`}. Bad ratings of an agent that you vouch for count against your vouches.`,
      ...(expires_at === undefined ? [] : [`It ends at ${String(expires_at)}.`]),
      ...noteLines(body),
    ]
  },
  async updateVouch({ params, body }, _person, { reader }) {
    const found = await reader.trust.vouch(requiredText(params, '/params/vouch_id'))
    if (found === undefined) throw new AuthorityError('vouch_unknown')
    const { weight, expires_at } = body
    return [
      `Change your vouch for ${shownSubject(found.to)}.`,
      ...(weight === undefined ? [] : [`Its weight becomes ${String(weight)}.`]),
      ...(expires_at === undefined
        ? []
        : [expires_at === null ? 'It no longer expires.' : `It ends at ${String(expires_at)}.`]),
    ]
  },
  async deletePasskey({ params }, _person, { reader }) {
    const passkey = await findPasskey(reader.registry, requiredText(params, '/params/id'))
    if (passkey === undefined) throw new AuthorityError('passkey_unknown')
    return [`Remove the passkey "${passkey.document.name}" and end your other sessions.`]
  },
}

/** Members of an issue request that the first sentence states, or that are credentials. */
const STATED_OR_SECRET = [
  'agent_id',
  'actions',
  'resources',
  'constraints',
  'expires_in',
  'purpose',
  'id_token',
  'nonce',
  'login_id',
]

/**
 * Returns lines for a token's constraints, end and purpose. A default end is that of its level; without a level it
 * follows from the parent.
 */
function limitLines({ constraints, expires_in, purpose }: CallMembers, level: Level | undefined): string[] {
  const otherwise_s = level === undefined ? undefined : LEVELS[level].default_lifetime_s
  const lifetime_s = typeof expires_in === 'number' ? expires_in : otherwise_s
  return [
    ...(typeof purpose === 'string' ? [`Purpose: ${purpose}`] : []),
    ...constraintSentences(constraintsIn(constraints)),
    ...(lifetime_s === undefined ? [] : [`It ends ${durationText(lifetime_s)} after it is issued.`]),
  ]
}

function constraintsIn(value: unknown): Constraints {
  return isObject(value) ? (value as Constraints) : {} // only shown; the call itself is validated
}

/** Returns what a token lets an agent do, in sentences, with hidden characters shown. */
export function issueSentences(request: object, level: Level): string[] {
  return issueLines({ ...request }, level).map(visibleText)
}

function issueLines(body: CallMembers, level: Level): string[] {
  const scope = `${requiredList(body, 'actions')} on ${requiredList(body, 'resources')}`
  return [
    `Issue a token: ${quoted(requiredText(body, '/body/agent_id'))} may ${scope}.`,
    ...limitLines(body, level),
    ...(hasBudget(constraintsIn(body.constraints)) ? [] : [NO_BUDGET]),
    ...otherLines(body, STATED_OR_SECRET),
  ]
}

/** Returns the members that no sentence states, one line each. */
function otherLines(body: CallMembers, stated: readonly string[]): string[] {
  return Object.entries(body)
    .filter(([name]) => !stated.includes(name))
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
}

async function decisionText(
  verb: 'Approve' | 'Deny',
  approval_id: string,
  decision: CallMembers,
  context: OperationContext,
): Promise<string[]> {
  return [
    ...approvalLines(verb, await loadApproval(approval_id, context)),
    ...(verb === 'Approve' ? grantLines(decision) : []),
    ...noteLines(decision),
  ]
}

/** Returns what a person approves, in sentences, with hidden characters shown. */
export function approvalSentences(approval: StoredApproval): string[] {
  return approvalLines('Approve', approval).map(visibleText)
}

function approvalLines(verb: 'Approve' | 'Deny', approval: StoredApproval): string[] {
  return [
    `${verb}: ${approvalText(approval)}.`,
    ...requestSummary(approval.metadata),
    ...approverLines(approval),
  ]
}

/** Returns what the agent wants to do, as part of a sentence. */
export function approvalText({ agent_id, action, resource, spend_micro_usd }: StoredApproval): string {
  const spend = spend_micro_usd === 0 ? '' : ` for ${amountText(spend_micro_usd)}`
  return `${quoted(plainAgent(agent_id))} may ${action} ${resource}${spend}`
}

/** Puts a name in quotation marks. No name contains them, so none can read as part of the surrounding sentence. */
function quoted(agent_name: string): string {
  return `“${agent_name}”`
}

/** Returns who else must approve, and how many have. */
export function approverLines({ approvers, endorsements }: StoredApproval): string[] {
  if (approvers.length === 0) return []
  const needed = requiredApprovals(approvers)
  const given =
    endorsements.length === 0 ? 'Nobody has approved yet.' : `${endorsements.length} approved so far.`
  return [`Needs the approval of ${needed === 1 ? 'one person' : `${needed} people`}. ${given}`]
}

function grantLines({ grant }: CallMembers): string[] {
  if (typeof grant !== 'object' || grant === null) return []
  const { minutes, max_spend_usd } = grant as CallMembers // its values are only shown
  const most =
    max_spend_usd === undefined
      ? 'that cost nothing more'
      : `up to ${usdText(Number(max_spend_usd))} in total`
  return [`Also approve requests of this kind for ${minutes} minutes, ${most}, without asking you again.`]
}

function noteLines({ note }: CallMembers): string[] {
  return typeof note === 'string' ? [`With the note: ${note}`] : []
}

function personName(human_ref: unknown, { human_refs }: HumanCaller): string {
  const ref = String(human_ref)
  return human_refs.includes(ref) ? `you (${ref.slice(0, 15)}…)` : ref
}

function requiredText(members: CallMembers, pointer: string): string {
  const value = members[pointer.split('/').at(-1) ?? '']
  if (typeof value !== 'string') throw invalidField(pointer, 'must be a string')
  return value
}

function requiredList(members: CallMembers, name: string): string {
  const value = members[name]
  if (!Array.isArray(value)) throw invalidField(`/body/${name}`, 'must be an array')
  return value.join(', ')
}

function decisionItems({ items }: CallMembers): CallMembers[] {
  if (!Array.isArray(items) || items.some((item) => typeof item !== 'object' || item === null))
    throw invalidField('/body/items', 'must be an array of decisions')
  return items
}
