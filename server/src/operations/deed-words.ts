import { AuthorityError, invalidField, type OperationId, shownAgent, toUsd } from '@deputize/protocol'
import type { HumanCaller } from '../access/caller.ts'
import { findPasskey } from '../access/passkey-document.ts'
import type { StoredApproval } from '../domain/approval.ts'
import type { OperationContext } from './operation-context.ts'

type Members = Readonly<Record<string, unknown>>

interface Asked {
  readonly params: Members
  readonly body: Members
}

type Words = (asked: Asked, person: HumanCaller, context: OperationContext) => Promise<string[]>

/** What a person reads before they confirm, in sentences: everything that the call does, and nothing else. */
export async function deedWords(
  operation: OperationId,
  asked: Asked,
  person: HumanCaller,
  context: OperationContext,
): Promise<string[]> {
  const words = DEED_WORDS[operation]
  if (words === undefined)
    throw invalidField('/operation', 'is no operation that is confirmed with a passkey')
  return words(asked, person, context)
}

export const DEED_WORDS: Partial<Record<OperationId, Words>> = {
  approve: async ({ params, body }, _person, context) =>
    decision('Approve', textIn(params, '/params/id'), body, context),
  deny: async ({ params, body }, _person, context) =>
    decision('Deny', textIn(params, '/params/id'), body, context),
  async decideApprovals({ body }, _person, context) {
    const lines: string[] = []
    for (const item of itemsIn(body)) {
      const verb = item.decision === 'approved' ? 'Approve' : 'Deny'
      lines.push(...(await decision(verb, textIn(item, '/body/items/approval_id'), item, context)))
    }
    return lines
  },
  async rateRecord({ params, body }, _person, { reader }) {
    const record = await reader.record(textIn(params, '/params/id'))
    if (record === undefined) throw new AuthorityError('record_unknown')
    const { agent_id, action, resource, created_at_ms } = record
    const at = new Date(created_at_ms).toISOString()
    const did = `${shownAgent(agent_id)} ${action} ${resource} at ${at}`
    return [`Rate as ${textIn(body, '/body/rating')}: ${did}. A rating never changes.`, ...noteIn(body)]
  },
  async issueL2({ body }) {
    const scope = `${listIn(body, 'actions')} on ${listIn(body, 'resources')}`
    const others = Object.entries(body).filter(([name]) => !TOLD_OR_SECRET.includes(name))
    return [
      `Issue a token: agent:${textIn(body, '/body/agent_id')} may ${scope}.`,
      ...(body.constraints === undefined ? ['It has no constraints.'] : []),
      ...others.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ]
  },
  async revokeHuman({ body }, person) {
    return [
      `Stop everything that acts in the name of ${nameOf(body.human_ref, person)}, at once and for ever.`,
    ]
  },
  async eraseHuman({ params }, person) {
    const name = nameOf(params.human_ref, person)
    return [`Erase everything personal that is kept of ${name}, and stop everything that acts in that name.`]
  },
  async exportHuman({ params }, person) {
    return [`Export everything that is kept of ${nameOf(params.human_ref, person)}.`]
  },
  async beginPasskey() {
    return ['Add another passkey that opens your account.']
  },
  async deletePasskey({ params }, _person, { reader }) {
    const known = await findPasskey(reader.registry, textIn(params, '/params/id'))
    if (known === undefined) throw new AuthorityError('passkey_unknown')
    return [`Remove the passkey "${known.document.name}", and end your other sessions.`]
  },
}

/** Members of an issue request that the first sentence tells, or that prove who asks. */
const TOLD_OR_SECRET = ['agent_id', 'actions', 'resources', 'id_token', 'nonce', 'login_id']

async function decision(
  verb: 'Approve' | 'Deny',
  approval_id: string,
  given: Members,
  { reader }: OperationContext,
): Promise<string[]> {
  const approval = await reader.approval(approval_id)
  if (approval === undefined) throw new AuthorityError('approval_unknown')
  return [`${verb}: ${questionOf(approval)}.`, ...detailsOf(approval), ...noteIn(given)]
}

/** What an agent asks for, as part of a sentence. */
export function questionOf({ agent_id, action, resource, spend_micro_usd }: StoredApproval): string {
  const spend = spend_micro_usd === 0 ? '' : ` for $${toUsd(spend_micro_usd)}`
  return `${shownAgent(agent_id)} may ${action} ${resource}${spend}`
}

function detailsOf({ metadata }: StoredApproval): string[] {
  return metadata === undefined ? [] : [`Details: ${metadata}`]
}

function noteIn({ note }: Members): string[] {
  return typeof note === 'string' ? [`With the note: ${note}`] : []
}

function nameOf(human_ref: unknown, { human_refs }: HumanCaller): string {
  const ref = String(human_ref)
  return human_refs.includes(ref) ? `yourself (${ref.slice(0, 15)}…)` : ref
}

function textIn(members: Members, pointer: string): string {
  const value = members[pointer.split('/').at(-1) ?? '']
  if (typeof value !== 'string') throw invalidField(pointer, 'must be a text')
  return value
}

function listIn(members: Members, name: string): string {
  const value = members[name]
  if (!Array.isArray(value)) throw invalidField(`/body/${name}`, 'must be a list')
  return value.join(', ')
}

function itemsIn({ items }: Members): Members[] {
  if (!Array.isArray(items) || items.some((item) => typeof item !== 'object' || item === null))
    throw invalidField('/body/items', 'must be a list of decisions')
  return items
}
