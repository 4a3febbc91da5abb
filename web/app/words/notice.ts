import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { nameOfAgent } from './agent-names.ts'
import { addressOfId, agentPlace } from './ids.ts'
import { usd } from './money.ts'
import { reasonWords } from './outcome.ts'

/** The text of a desktop notice, and where it leads. */
export interface DesktopNotice {
  readonly title: string
  readonly body: string
  readonly href: string
  /** Notices with the same tag replace each other. */
  readonly tag: string
}

const BURST = { denials: 5, within_ms: 60_000 } as const

/**
 * The notice for an event, if it needs a person: an approval request, or the denial that completes an agent's burst.
 * `recent` has this event and those before it, in any order.
 */
export function noticeOf(event: DeputyEvent, recent: readonly DeputyEvent[]): DesktopNotice | undefined {
  if (event.type === 'approval.requested') {
    const { approval_id, agent_id, action, resource, spend_usd } = event.data
    const amount = spend_usd === undefined || spend_usd === 0 ? '' : ` for ${usd(spend_usd)}`
    return {
      title: `${nameOfAgent(agent_id)} asks to ${action}${amount}`,
      body: `At ${resource}. Open to decide.`,
      href: addressOfId(approval_id) ?? '/app/approvals',
      tag: approval_id,
    }
  }
  if (event.type !== 'action.denied' || denialsBefore(event, recent) !== BURST.denials) return undefined
  const { agent_id } = event.data
  return {
    title: `${nameOfAgent(agent_id)} was denied ${BURST.denials} times in a minute`,
    body: event.data.reasons.map(reasonWords).join(', '),
    href: agentPlace(agent_id),
    tag: `denied ${agent_id}`,
  }
}

/** How often its agent was denied in the minute that ends with this event, including this event. */
function denialsBefore(
  event: Extract<DeputyEvent, { type: 'action.denied' }>,
  recent: readonly DeputyEvent[],
): number {
  const end = Date.parse(event.occurred_at)
  return recent.filter(
    (one) =>
      one.type === 'action.denied' &&
      one.data.agent_id === event.data.agent_id &&
      one.log_index <= event.log_index &&
      end - Date.parse(one.occurred_at) < BURST.within_ms,
  ).length
}
