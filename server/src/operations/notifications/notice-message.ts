/** Messages about events other than questions. */
import { type DeputyEvent, type EventType, type MessageTopic, withoutAgentPrefix } from '@deputize/protocol'
import { type Message, type MessageFact, messageText } from '../../messages/message.ts'
import { personPath } from '../../messages/question-message.ts'
import { countText } from '../../messages/words.ts'

const TOPICS: Partial<Record<EventType, MessageTopic>> = {
  'approval.requested': 'questions',
  'approval.escalated': 'questions',
  'alert.fired': 'alerts',
  'agent.suspended': 'suspensions',
  'webhook.disabled': 'webhooks',
}

/** Returns the topic of an event that becomes a message to people. Undefined for other events. */
export function topicOf(type: EventType): MessageTopic | undefined {
  return TOPICS[type]
}

export interface NoticeTerms {
  readonly public_url: string
  /** The tenant whose sign-in the link leads through. */
  readonly tenant_id: string
}

/**
 * Writes the message for an event. Undefined for events that become another message, or none. Contains neither token
 * IDs nor free text.
 */
export function noticeMessage(
  event: DeputyEvent,
  { public_url, tenant_id }: NoticeTerms,
): Message | undefined {
  const words = wordsOf(event)
  if (words === undefined) return undefined
  return {
    message_id: event.id,
    ...words,
    link: { label: 'Open', url: `${public_url}${personPath(tenant_id)}` },
    topic: event.id,
  }
}

const MOST_LISTED = 8

/** Returns one message for one notice, or for several that arrived together. */
export function noticeDigest(notices: readonly [Message, ...Message[]]): Message {
  const [first, ...others] = notices
  if (others.length === 0) return first
  const unlisted = notices.length - MOST_LISTED
  return {
    ...first,
    title: `${notices.length} notices`,
    facts: notices
      .slice(0, MOST_LISTED)
      .map(({ title, facts }) => fact(title, facts.find(({ label }) => label === 'Why')?.value ?? '–')),
    notes: unlisted > 0 ? [`${countText(unlisted, 'more notice')}.`] : [],
    topic: 'notices',
    is_urgent: notices.some(({ is_urgent }) => is_urgent),
  }
}

type NoticeWords = Pick<Message, 'title' | 'facts' | 'notes' | 'is_urgent'>

function wordsOf(event: DeputyEvent): NoticeWords | undefined {
  switch (event.type) {
    case 'alert.fired': {
      const { agent_id, explanation, effect } = event.data
      const facts = [
        fact('Agent', agent_id),
        fact('Why', explanation),
        fact('What was done', EFFECTS[effect]),
      ]
      const title = `Alert about ${shortName(agent_id)}`
      return { title, facts, notes: [], is_urgent: effect === 'suspend' }
    }
    case 'agent.suspended': {
      const { agent_id, suspended_by } = event.data
      const facts = [fact('Agent', agent_id), fact('Suspended by', `the ${suspended_by}`)]
      return { title: `${shortName(agent_id)} was suspended`, facts, notes: [], is_urgent: false }
    }
    case 'webhook.disabled': {
      const { webhook_id, kind, reason } = event.data
      const name = kind === 'webhook' ? 'Webhook' : 'Stream'
      const facts = [fact(name, webhook_id), fact('Why', DISABLED[reason])]
      return { title: `${name} disabled: events are no longer sent`, facts, notes: [KEPT], is_urgent: false }
    }
    default:
      return undefined
  }
}

const EFFECTS = {
  notify: 'nothing; this is only a notification',
  ask: 'every action of the agent needs an approval for a while',
  suspend: 'the agent was suspended',
} as const

const DISABLED = {
  failing: 'no attempt succeeded for three days',
  gone: 'the receiver answered 410 Gone',
  key_deleted: 'the key that created it or set its address was deleted',
} as const

const KEPT =
  'Nothing is lost: once the receiver works and you enable it again, it continues where it stopped.'

function fact(label: string, value: string): MessageFact {
  return { label, value: messageText(value) }
}

function shortName(agent_id: string): string {
  return messageText(withoutAgentPrefix(agent_id), 80)
}
