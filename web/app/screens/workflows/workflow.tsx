import type {
  ExportWorkflowInput,
  TokenView,
  WorkflowSummary,
} from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad } from '../../api/load.ts'
import { AgentLink, Card, Choices, Empty, Id, OutcomeMark, ScreenFrame, Shown } from '../../parts/basics.tsx'
import { MoreButton, useAll, usePages } from '../../parts/pages.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { counted, numberText, usd } from '../../words/money.ts'
import { tokenOutcome } from '../../words/outcome.ts'
import { RecordTable } from '../actions/record-table.tsx'
import { DenialTable } from '../denials/denial-table.tsx'
import { TokenTreePicture } from '../tokens/token-tree-picture.tsx'
import { SelectionCard } from './selection-card.tsx'
import { useWholeGraph } from './whole-graph.ts'
import { GraphPicture, TimelinePicture } from './workflow-pictures.tsx'

const TABS = [
  ['tree', 'Token tree'],
  ['graph', 'Execution graph'],
  ['timeline', 'Timeline'],
] as const

const MOST_TOKENS = 2000
const FEW_RECORDS = 50

/** A workflow in three pictures that share a selection. */
export function WorkflowScreen({ id }: { readonly id: string }) {
  const tokens = useAll('listTokens', { provenance_ref: id }, MOST_TOKENS)
  const { query } = shownAddress.value
  const tab = TABS.find(([one]) => one === query.get('tab'))?.[0] ?? 'tree'
  const totals = useLoad('getProvenance', { ref: id }).data
  const graph = useWholeGraph(id, tab !== 'tree' && totals !== undefined, totals?.total_records ?? 0)
  const selected = query.get('selected') ?? undefined
  const select = (one: string) => setQuery({ selected: one === selected ? undefined : one })
  const record = useLoad('getRecord', selected?.startsWith('aar_') ? { id: selected } : undefined).data
  return (
    <Shown of={tokens} screen="Workflow">
      {(data) => {
        const root = data.find(({ parent_jti }) => parent_jti === undefined)
        const token = data.find(({ jti }) => jti === (record?.vat_jti ?? selected))
        return (
          <ScreenFrame
            title={root?.purpose ?? `Workflow of ${nameOfAgent(root?.agent_id ?? '')}`}
            lead={<Summary id={id} root={root} tokens={data} totals={totals} />}
            aside={<Exports id={id} />}
          >
            <Choices
              label="Picture"
              of={TABS}
              chosen={tab}
              choose={(value) => setQuery({ tab: value === 'tree' ? undefined : value })}
            />
            <div class="with-side wide-picture">
              {tab === 'tree' && (
                <TokenTreePicture
                  title="Token tree"
                  tokens={data}
                  isPartial={tokens.isCut}
                  selected={token?.jti}
                  select={select}
                />
              )}
              {tab === 'graph' && <GraphPicture of={graph} selected={selected} select={select} />}
              {tab === 'timeline' && <TimelinePicture of={graph} selected={selected} select={select} />}
              <SelectionCard token={token} record={record} />
            </div>
            <WorkflowDenials id={id} />
            <WorkflowActions id={id} />
          </ScreenFrame>
        )
      }}
    </Shown>
  )
}

function Summary({
  id,
  root,
  tokens,
  totals,
}: {
  readonly id: string
  readonly root: TokenView | undefined
  readonly tokens: readonly TokenView[]
  readonly totals: WorkflowSummary | undefined
}) {
  const live = tokens.filter(({ status }) => status === 'live').length
  return (
    <span class="lead-line">
      {root !== undefined && (
        <OutcomeMark name={root.status === 'live' ? 'open' : tokenOutcome(root.status)} />
      )}
      {root !== undefined && <AgentLink agent_id={root.agent_id} />}
      <span>
        {counted(tokens.length, 'token')}, {numberText(live)} live
      </span>
      {totals !== undefined && <span>{counted(totals.total_records, 'action')}</span>}
      {root?.budget !== undefined && <span>{usd(root.budget.spent_usd)} spent</span>}
      <Id id={id} />
    </span>
  )
}

const FORMATS: readonly (readonly [ExportWorkflowInput['format'], string])[] = [
  ['proof-pack', 'Proof pack'],
  ['csv', 'CSV'],
  ['ndjson', 'JSON lines'],
  ['prov-json', 'PROV-JSON'],
  ['ocsf', 'OCSF'],
]

function Exports({ id }: { readonly id: string }) {
  return (
    <details class="menu">
      <summary>Export</summary>
      <div>
        {FORMATS.map(([format, word]) => (
          <a key={format} download href={`/v1/vat/aar/provenance/${id}/export?format=${format}`}>
            {word}
          </a>
        ))}
      </div>
    </details>
  )
}

function WorkflowDenials({ id }: { readonly id: string }) {
  const { data } = useLoad('listDenials', { provenance_ref: id, limit: 20 })
  if (data === undefined || data.data.length === 0) return null
  return (
    <Card title="Denials" kind="flush">
      <DenialTable denials={data.data} />
    </Card>
  )
}

function WorkflowActions({ id }: { readonly id: string }) {
  const list = usePages('listWorkflowRecords', { ref: id, limit: FEW_RECORDS })
  return (
    <Card title="Actions" kind="flush">
      <Shown of={list}>
        {(records) =>
          records.length === 0 ? (
            <Empty title="No actions yet.">
              They appear when an agent acts with a token of this workflow.
            </Empty>
          ) : (
            <RecordTable records={records} />
          )
        }
      </Shown>
      <MoreButton of={list} />
    </Card>
  )
}
