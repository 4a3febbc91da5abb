import type { Agent } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, Choices, Empty, OutcomeMark, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { FilterInput, NoMatch } from '../../parts/filters.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { Sparkline } from '../../pictures/charts.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { agentWord } from '../../words/ids.ts'
import { numberText, score, usd } from '../../words/money.ts'

const SORTS = [
  ['last_action', 'Last active'],
  ['actions', 'Most active'],
  ['reputation', 'Reputation'],
  ['name', 'Name'],
] as const
type AgentSort = (typeof SORTS)[number][0]

export function Agents() {
  const { query } = shownAddress.value
  const sort: AgentSort = SORTS.find(([one]) => one === query.get('sort'))?.[0] ?? 'last_action'
  const q = query.get('q') ?? ''
  const status = query.get('status') === 'suspended' ? 'suspended' : undefined
  const list = usePages('listAgents', {
    sort,
    expand: 'activity',
    limit: 50,
    ...(q !== '' && { q }),
    ...(status !== undefined && { status }),
  })
  return (
    <ScreenFrame title="Agents" lead="Who acts, how well, and how often they were denied.">
      <div class="filters">
        <Choices
          label="Order"
          of={SORTS}
          chosen={sort}
          choose={(value) => setQuery({ sort: value === 'last_action' ? undefined : value })}
        />
        <button
          type="button"
          aria-pressed={status !== undefined}
          onClick={() => setQuery({ status: status === undefined ? 'suspended' : undefined })}
        >
          Suspended only
        </button>
        <FilterInput label="Filter by name" placeholder="Name of an agent" />
      </div>
      <Shown of={list}>
        {(agents) =>
          agents.length === 0 && (q !== '' || status !== undefined) ? (
            <NoMatch title="No agents match." filters={['q', 'status']} />
          ) : agents.length === 0 ? (
            <Empty title="No agents yet.">
              Agents appear when they get their first token or when you register them.
            </Empty>
          ) : (
            <>
              <section class="card flush">
                <Table label="Agents" columns={COLUMNS} rows={agents} keyOf={({ agent_id }) => agent_id} />
              </section>
              <MoreButton of={list} />
            </>
          )
        }
      </Shown>
    </ScreenFrame>
  )
}

const COLUMNS: readonly ListColumn<Agent>[] = [
  {
    name: 'Agent',
    cell: (agent) => (
      <span class="name">
        <AgentLink agent_id={agent.agent_id} name={agent.display_name} />
        {agent.display_name !== undefined && <span class="dim wide"> {agentWord(agent.agent_id)}</span>}
      </span>
    ),
  },
  { name: 'State', cell: ({ suspended }) => <OutcomeMark name={suspended ? 'suspended' : 'active'} /> },
  {
    name: 'Last 14 days',
    wide: true,
    cell: (agent) => (
      <Sparkline values={dayCounts(agent)} label={`Actions of ${agentWord(agent.agent_id)} by day`} />
    ),
  },
  { name: 'Actions', number: true, cell: ({ total_actions }) => numberText(total_actions) },
  {
    name: 'Denied, 14 d',
    number: true,
    cell: (agent) => {
      const denied = agent.activity?.denied ?? 0
      return <span class={denied > 0 ? 'no' : 'dim'}>{numberText(denied)}</span>
    },
  },
  { name: 'Spent, 14 d', number: true, wide: true, cell: (agent) => usd(agent.activity?.spend_usd ?? 0) },
  {
    name: 'Live tokens',
    number: true,
    wide: true,
    extra: true,
    cell: ({ live_tokens }) => (live_tokens === undefined ? '–' : numberText(live_tokens)),
  },
  {
    name: 'Reputation',
    number: true,
    wide: true,
    cell: ({ total_actions, combined_reputation }) =>
      total_actions === 0 ? <span class="dim">no record yet</span> : score(combined_reputation),
  },
  { name: 'Last action', wide: true, cell: ({ last_action_at }) => <When at={last_action_at} /> },
]

const DAY_MS = 86_400_000

/** Number of actions on each of the last 14 days. The service leaves out days without actions. */
function dayCounts({ activity }: Agent): number[] {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS
  const counts = new Map(activity?.days.map(({ start, allowed }) => [Date.parse(start), allowed]))
  return Array.from({ length: 14 }, (_, index) => counts.get(today - (13 - index) * DAY_MS) ?? 0)
}
