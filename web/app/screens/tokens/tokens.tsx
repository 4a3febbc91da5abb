import { Choices, Empty, ScreenFrame, Shown } from '../../parts/basics.tsx'
import { FilterChip, FilterInput, NoMatch } from '../../parts/filters.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { TokenTable } from './token-table.tsx'

const STATES = [
  ['live', 'Live'],
  ['tight', 'Over 80 % used'],
  ['soon', 'Expire within 24 h'],
  ['suspended', 'Suspended'],
  ['revoked', 'Revoked'],
  ['expired', 'Expired'],
  ['all', 'All'],
] as const
type TokenFilter = (typeof STATES)[number][0]

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const EMPTY: Readonly<Record<TokenFilter, string>> = {
  live: 'No live tokens.',
  tight: 'No live token has used 80 % of its budget.',
  soon: 'No live token expires within 24 hours.',
  suspended: 'No suspended tokens.',
  revoked: 'No revoked tokens.',
  expired: 'No expired tokens.',
  all: 'No tokens yet.',
}

function filterInput(filter: TokenFilter) {
  if (filter === 'all') return {}
  if (filter === 'tight') return { status: 'live', budget_used_above: 0.8 } as const
  if (filter === 'soon') {
    // Rounded to full hours, so that the query stays the same for a while.
    const until = Math.ceil((Date.now() + DAY_MS) / HOUR_MS) * HOUR_MS
    return { status: 'live', expires_before: new Date(until).toISOString(), sort: 'expires_first' } as const
  }
  return { status: filter } as const
}

export function TokensScreen() {
  const { query } = shownAddress.value
  const filter: TokenFilter = STATES.find(([one]) => one === query.get('status'))?.[0] ?? 'live'
  const q = query.get('q') ?? ''
  const agent_id = query.get('agent_id') ?? undefined
  const list = usePages('listTokens', {
    limit: 50,
    ...filterInput(filter),
    ...(q !== '' && { q }),
    ...(agent_id !== undefined && { agent_id }),
  })
  return (
    <ScreenFrame title="Tokens" lead="What agents may do, for whom, and how much of it is used.">
      <div class="filters">
        <Choices
          label="State"
          of={STATES}
          chosen={filter}
          choose={(value) => setQuery({ status: value === 'live' ? undefined : value })}
        />
        {agent_id !== undefined && <FilterChip name="agent_id" word={nameOfAgent(agent_id)} />}
        <FilterInput label="Filter by agent or purpose" placeholder="Agent or purpose" />
      </div>
      <Shown of={list}>
        {(tokens) =>
          tokens.length === 0 && (q !== '' || agent_id !== undefined) ? (
            <NoMatch title="No tokens match." filters={['q', 'agent_id']} />
          ) : tokens.length === 0 ? (
            <Empty title={EMPTY[filter]}>
              Tokens appear when a person lets an agent act, or an agent delegates.
            </Empty>
          ) : (
            <>
              <section class="card flush">
                <TokenTable tokens={tokens} />
              </section>
              <MoreButton of={list} />
            </>
          )
        }
      </Shown>
    </ScreenFrame>
  )
}
