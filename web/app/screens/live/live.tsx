import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeputyEvent } from '../../../../sdk/node/src/generated/operations.ts'
import { feed } from '../../live/feed.ts'
import { Choices, Empty, ScreenFrame } from '../../parts/basics.tsx'
import { FeedList } from '../../parts/feed-list.tsx'
import { FilterInput, NoMatch } from '../../parts/filters.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { feedLine } from '../../words/event-line.ts'
import { counted } from '../../words/money.ts'

const KINDS = [
  ['all', 'Everything'],
  ['action', 'Actions'],
  ['denied', 'Denials'],
  ['approval', 'Approvals'],
  ['token', 'Tokens'],
] as const
type Kind = (typeof KINDS)[number][0]

const ANNOUNCED_EVERY_MS = 5000

export function Live() {
  const { query } = shownAddress.value
  const kind = KINDS.find(([one]) => one === query.get('kind'))?.[0] ?? 'all'
  const wanted = query.get('q') ?? ''
  const [isPaused, pause] = useState(false)
  const frozen = useRef(feed.value)
  if (!isPaused) frozen.current = feed.value
  const events = frozen.current.filter((event) => isOfKind(event.type, kind) && mentions(event, wanted))
  return (
    <ScreenFrame
      title="Live"
      lead="What agents and people do, as it happens."
      aside={
        <button type="button" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
          {isPaused ? 'Go on' : 'Pause'}
        </button>
      }
    >
      <div class="filters">
        <Choices
          label="Kind"
          of={KINDS}
          chosen={kind}
          choose={(value) => setQuery({ kind: value === 'all' ? undefined : value })}
        />
        <FilterInput
          label="Filter by agent, action, resource or ID"
          placeholder="Agent, action, resource or ID"
        />
      </div>
      <Announcer />
      {events.length === 0 && frozen.current.length > 0 ? (
        <NoMatch
          title={`None of the newest ${counted(frozen.current.length, 'event')} matches.`}
          filters={['q', 'kind']}
        />
      ) : events.length === 0 ? (
        <Empty title="Nothing here yet.">
          Events appear when agents act or request approval, and when people issue tokens, decide requests,
          rate actions or stop agents.
        </Empty>
      ) : (
        <section class="card flush">
          <FeedList events={events} />
        </section>
      )}
    </ScreenFrame>
  )
}

function isOfKind(type: string, kind: Kind): boolean {
  if (kind === 'all') return true
  return kind === 'denied' ? type === 'action.denied' : type.startsWith(`${kind}.`)
}

/** Searches all data of the event, and the name that its line shows for the agent. */
function mentions(event: DeputyEvent, wanted: string): boolean {
  if (wanted === '') return true
  const { agent_id } = feedLine(event)
  const name = agent_id === undefined ? '' : nameOfAgent(agent_id)
  return `${name} ${JSON.stringify(event)}`.toLowerCase().includes(wanted.toLowerCase())
}

/** Announces the number of new events to screen readers, at most every five seconds. */
function Announcer() {
  const [text, say] = useState('')
  const known = useRef(feed.value[0]?.log_index ?? 0)
  useEffect(() => {
    const timer = setInterval(() => {
      const fresh = feed.value.filter(({ log_index }) => log_index > known.current).length
      known.current = feed.value[0]?.log_index ?? known.current
      if (fresh > 0) say(counted(fresh, 'new event'))
    }, ANNOUNCED_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <p class="sr" aria-live="polite">
      {text}
    </p>
  )
}
