import type { ActionRecord } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, OutcomeMark, When } from '../../parts/basics.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { idPlace } from '../../words/ids.ts'
import { usd } from '../../words/money.ts'
import { RATING_OUTCOMES, recordOutcome } from '../../words/outcome.ts'

export function RecordTable({
  records,
  withAgent = true,
}: {
  readonly records: readonly ActionRecord[]
  readonly withAgent?: boolean
}) {
  return (
    <Table
      label="Actions"
      columns={withAgent ? [...COLUMNS.slice(0, 1), AGENT, ...COLUMNS.slice(1)] : COLUMNS}
      rows={records}
      keyOf={({ aar_id }) => aar_id}
    />
  )
}

const AGENT: ListColumn<ActionRecord> = {
  name: 'Agent',
  cell: ({ agent_id }) => <AgentLink agent_id={agent_id} />,
}

const COLUMNS: readonly ListColumn<ActionRecord>[] = [
  {
    name: 'Action',
    cell: ({ aar_id, action, resource }) => (
      <a href={idPlace(aar_id)}>
        {action} {resource}
      </a>
    ),
  },
  { name: 'Outcome', cell: (record) => <OutcomeMark name={recordOutcome(record)} /> },
  {
    name: 'Spent',
    number: true,
    wide: 'below',
    cell: ({ spend_usd }) => (spend_usd === 0 ? '' : usd(spend_usd)),
  },
  {
    name: 'Rating',
    wide: true,
    cell: ({ rating }) => (rating === undefined ? '' : <OutcomeMark name={RATING_OUTCOMES[rating]} />),
  },
  { name: 'When', wide: 'below', cell: ({ created_at }) => <When at={created_at} /> },
]
