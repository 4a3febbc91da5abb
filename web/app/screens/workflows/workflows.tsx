import type { WorkflowView } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, Choices, Empty, Id, OutcomeMark, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { FilterInput, NoMatch } from '../../parts/filters.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { idPlace } from '../../words/ids.ts'
import { numberText, usd } from '../../words/money.ts'

const STATES = [
  ['all', 'All'],
  ['open', 'Open'],
  ['closed', 'Closed'],
] as const

export function Workflows() {
  const { query } = shownAddress.value
  const state = STATES.find(([one]) => one === query.get('state'))?.[0] ?? 'all'
  const q = query.get('q') ?? ''
  const list = usePages('listWorkflows', {
    expand: 'token,denials,live_tokens',
    limit: 50,
    ...(state !== 'all' && { state }),
    ...(q !== '' && { q }),
  })
  return (
    <ScreenFrame
      title="Workflows"
      lead="A workflow is a root token, every token below it, and everything done with them."
    >
      <div class="filters">
        <Choices
          label="State"
          of={STATES}
          chosen={state}
          choose={(value) => setQuery({ state: value === 'all' ? undefined : value })}
        />
        <FilterInput label="Filter by agent or purpose" placeholder="Agent or purpose" />
      </div>
      <Shown of={list}>
        {(workflows) =>
          workflows.length === 0 && (q !== '' || state !== 'all') ? (
            <NoMatch title="No workflows match." filters={['q', 'state']} />
          ) : workflows.length === 0 ? (
            <Empty title="No workflows yet.">A workflow begins when a person lets an agent act.</Empty>
          ) : (
            <>
              <section class="card flush">
                <Table
                  label="Workflows"
                  columns={COLUMNS}
                  rows={workflows}
                  keyOf={({ provenance_ref }) => provenance_ref}
                />
              </section>
              <MoreButton of={list} />
            </>
          )
        }
      </Shown>
    </ScreenFrame>
  )
}

const COLUMNS: readonly ListColumn<WorkflowView>[] = [
  {
    name: 'Workflow',
    cell: ({ provenance_ref, purpose, agent_id }) => (
      <a class="clip strong" href={idPlace(provenance_ref)}>
        {purpose ?? `Workflow of ${nameOfAgent(agent_id)}`}
      </a>
    ),
  },
  { name: 'Started by', wide: true, cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
  { name: 'State', cell: ({ state }) => <OutcomeMark name={state} /> },
  { name: 'Actions', number: true, cell: ({ total_records }) => numberText(total_records) },
  {
    name: 'Denied',
    number: true,
    wide: true,
    cell: ({ denials = 0 }) => <span class={denials > 0 ? 'no' : 'dim'}>{numberText(denials)}</span>,
  },
  { name: 'Agents', number: true, extra: true, cell: ({ unique_agents }) => numberText(unique_agents) },
  {
    name: 'Live tokens',
    number: true,
    wide: true,
    cell: ({ live_tokens }) => (live_tokens === undefined ? '–' : numberText(live_tokens)),
  },
  { name: 'Spent', number: true, wide: true, cell: ({ spent_usd }) => usd(spent_usd) },
  { name: 'Last action', wide: true, cell: ({ last_action_at }) => <When at={last_action_at} /> },
  { name: 'ID', extra: true, cell: ({ provenance_ref }) => <Id id={provenance_ref} /> },
]
