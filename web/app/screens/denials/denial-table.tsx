import type { Denial } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, When } from '../../parts/basics.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { idPlace } from '../../words/ids.ts'
import { usd } from '../../words/money.ts'
import { reasonWords } from '../../words/outcome.ts'

export function DenialTable({
  denials,
  withAgent = true,
}: {
  readonly denials: readonly Denial[]
  readonly withAgent?: boolean
}) {
  return (
    <Table
      label="Denials"
      columns={withAgent ? [...COLUMNS.slice(0, 1), AGENT, ...COLUMNS.slice(1)] : COLUMNS}
      rows={denials}
      keyOf={({ denial_id }) => denial_id}
    />
  )
}

const AGENT: ListColumn<Denial> = {
  name: 'Agent',
  cell: ({ agent_id }) => <AgentLink agent_id={agent_id} />,
}

const COLUMNS: readonly ListColumn<Denial>[] = [
  {
    name: 'Asked for',
    cell: ({ denial_id, action, resource }) => (
      <a href={idPlace(denial_id)}>
        {action} {resource}
      </a>
    ),
  },
  {
    name: 'Reason',
    cell: ({ reasons }) => (
      <span class="no">
        <span aria-hidden="true">✕</span> {reasons.map(reasonWords).join(', ')}
      </span>
    ),
  },
  {
    name: 'Amount',
    number: true,
    wide: 'below',
    cell: ({ spend_usd }) => (spend_usd === 0 ? '' : usd(spend_usd)),
  },
  { name: 'When', wide: 'below', cell: ({ created_at }) => <When at={created_at} /> },
]
