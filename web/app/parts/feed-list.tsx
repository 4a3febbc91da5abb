import { useRef, useState } from 'preact/hooks'
import type { DeputyEvent } from '../../../sdk/node/src/generated/operations.ts'
import { feedLine } from '../words/event-line.ts'
import { counted } from '../words/money.ts'
import { AgentLink, OutcomeMark, When } from './basics.tsx'

/** Events, newest first. The list doesn't change while the pointer is on it. */
export function FeedList({ events }: { readonly events: readonly DeputyEvent[] }) {
  const [held, hold] = useState<readonly DeputyEvent[]>()
  const shown = held ?? events
  const first = useRef(events[0]?.log_index ?? -1)
  const newest = held?.[0]?.log_index ?? Number.POSITIVE_INFINITY
  const fresh = events.filter(({ log_index }) => log_index > newest).length
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only holds still under the pointer
    <div class="feed" onMouseEnter={() => hold(events)} onMouseLeave={() => hold(undefined)}>
      {fresh > 0 && (
        <button type="button" class="fresh" onClick={() => hold(events)}>
          {counted(fresh, 'new event')}
        </button>
      )}
      <ol>
        {shown.map((event) => (
          <FeedRow key={event.log_index} event={event} isNew={event.log_index > first.current} />
        ))}
      </ol>
    </div>
  )
}

function FeedRow({ event, isNew }: { readonly event: DeputyEvent; readonly isNew: boolean }) {
  const { outcome, agent_id, text, note, href } = feedLine(event)
  return (
    <li data-row class={isNew ? 'arrived' : ''}>
      <When at={event.occurred_at} exact />
      <OutcomeMark name={outcome} />
      <span class="feed-text">
        {agent_id !== undefined && <AgentLink agent_id={agent_id} />}{' '}
        {href === undefined ? text : <a href={href}>{text}</a>}{' '}
        {note !== '' && <span class="dim">{note}</span>}
      </span>
    </li>
  )
}
