import type { TokenView } from '../../../../sdk/node/src/generated/operations.ts'
import { AgentLink, Id, OutcomeMark, When } from '../../parts/basics.tsx'
import { Gauge } from '../../parts/gauge.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { idPlace } from '../../words/ids.ts'
import { numberText } from '../../words/money.ts'
import { tokenOutcome } from '../../words/outcome.ts'

export function TokenTable({
  tokens,
  withAgent = true,
}: {
  readonly tokens: readonly TokenView[]
  readonly withAgent?: boolean
}) {
  return (
    <Table
      label="Tokens"
      columns={withAgent ? [...COLUMNS.slice(0, 1), AGENT, ...COLUMNS.slice(1)] : COLUMNS}
      rows={tokens}
      keyOf={({ jti }) => jti}
    />
  )
}

const AGENT: ListColumn<TokenView> = {
  name: 'Agent',
  cell: ({ agent_id }) => <AgentLink agent_id={agent_id} />,
}

const COLUMNS: readonly ListColumn<TokenView>[] = [
  {
    name: 'May do',
    cell: ({ jti, purpose, claims: { svc_scope } }) => (
      <a class="clip" href={idPlace(jti)} title={svc_scope.resources.join(', ')}>
        {purpose ?? `${svc_scope.actions.join(', ')} on ${svc_scope.resources.join(', ')}`}
      </a>
    ),
  },
  { name: 'State', cell: ({ status }) => <OutcomeMark name={tokenOutcome(status)} /> },
  { name: 'Budget', wide: 'below', cell: ({ tightest, budget }) => <Gauge of={tightest ?? budget} /> },
  { name: 'Actions', number: true, wide: true, cell: ({ total_actions }) => numberText(total_actions) },
  { name: 'Depth', number: true, extra: true, cell: ({ delegation_depth }) => numberText(delegation_depth) },
  { name: 'Expires', wide: true, cell: ({ expires_at }) => <When at={expires_at} /> },
  { name: 'ID', extra: true, cell: ({ jti }) => <Id id={jti} /> },
]
