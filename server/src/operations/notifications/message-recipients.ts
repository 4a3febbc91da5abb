/** The recipients of a message: only people of the tenant, and only those who may decide or whose agent it is. */

import type { MessageTopic } from '@deputize/protocol'
import { tenantOf } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import { carries, type KnownChannel } from '../../messages/channel.ts'
import { channelsOf } from '../channels/channel-entries.ts'
import type { OperationContext } from '../operation-context.ts'

type RecipientContext = Pick<OperationContext, 'reader' | 'accessControl'>

/**
 * Returns the people who are asked first: the one that the agent acts for, who can always deny, and the approvers that
 * the token names. A request that is held for the safety desk looks to its person like any other.
 */
export async function askedRefs(
  { agent_id, human_ref, approvers }: StoredApproval,
  { accessControl }: RecipientContext,
): Promise<string[]> {
  const named = approvers.flatMap(({ people = [] }) => people)
  if (!approvers.some(({ role }) => role === 'reviewer')) return [human_ref, ...named]
  const reviewers = (await accessControl.tenants.find(tenantOf(agent_id)))?.reviewers ?? []
  return [human_ref, ...named, ...reviewers]
}

/** Returns who is asked when an approval request is escalated: reviewers of the tenant who haven't been asked yet. */
export async function escalationRefs(approval: StoredApproval, context: RecipientContext): Promise<string[]> {
  const tenant_id = tenantOf(approval.agent_id)
  const { reviewers = [], messages } = (await context.accessControl.tenants.find(tenant_id)) ?? {}
  // Named approvers and the safety desk decide alone: no reviewer could answer in their place.
  if (approval.approvers.length > 0) return []
  const asked = await peopleOf(tenant_id, await askedRefs(approval, context), context)
  const found: string[] = []
  for (const ref of messages?.escalate_to ?? reviewers) {
    const [person = ref] = await peopleOf(tenant_id, [ref], context)
    if (reviewers.includes(ref) && !asked.includes(person)) found.push(ref)
  }
  return found
}

/** Returns the people behind refs. A person who signs in in several ways has several refs. */
async function peopleOf(
  tenant_id: string,
  refs: readonly string[],
  { reader }: RecipientContext,
): Promise<string[]> {
  const people = new Set<string>()
  for (const ref of refs) {
    const identity = await reader.registry.entry('identity', ref)
    const isLinked = identity?.document !== undefined && identity.tenant_id === tenant_id
    people.add(isLinked ? (identity.owner ?? ref) : ref)
  }
  return [...people]
}

/** Returns the channels of these people that carry a topic. A person is found by any of their refs. */
export async function channelsFor(
  tenant_id: string,
  refs: readonly string[],
  topic: MessageTopic,
  context: RecipientContext,
): Promise<KnownChannel[]> {
  const people = await peopleOf(tenant_id, refs, context)
  const channels: KnownChannel[] = []
  // One after another: a thousand reads at a time would keep all connections to the database busy.
  for (const owner of people)
    channels.push(...(await channelsOf({ tenant_id, owner }, context.reader.registry)))
  return allowed(channels, topic, context)
}

/** Returns the channels of a tenant itself. */
export async function tenantChannels(
  tenant_id: string,
  topic: MessageTopic,
  context: RecipientContext,
): Promise<KnownChannel[]> {
  return allowed(await channelsOf({ tenant_id, owner: undefined }, context.reader.registry), topic, context)
}

/** Keeps the channels that carry a topic and whose kind the tenant still allows. The others stay silent. */
async function allowed(
  channels: readonly KnownChannel[],
  topic: MessageTopic,
  context: RecipientContext,
): Promise<KnownChannel[]> {
  const found: KnownChannel[] = []
  for (const channel of channels)
    if (carries(channel.document, topic) && (await isKindAllowed(channel, context))) found.push(channel)
  return found
}

/** Whether the tenant still allows channels of this kind. */
export async function isKindAllowed(
  { tenant_id, document }: KnownChannel,
  { accessControl }: Pick<OperationContext, 'accessControl'>,
): Promise<boolean> {
  const kinds = (await accessControl.tenants.find(tenant_id))?.messages?.channels
  return kinds?.includes(document.kind) ?? true
}

/**
 * Whether the owner of a channel is still one of those who see a request: its person, an approver that its token names, or
 * a reviewer of the tenant. Reviewers change while messages wait.
 */
export async function isStillAsked(
  approval: StoredApproval,
  { tenant_id, owner }: KnownChannel,
  context: RecipientContext,
): Promise<boolean> {
  if (owner === undefined) return true
  const { reviewers = [] } = (await context.accessControl.tenants.find(tenant_id)) ?? {}
  const asked = [...(await askedRefs(approval, context)), ...reviewers]
  return (await peopleOf(tenant_id, asked, context)).includes(owner)
}
