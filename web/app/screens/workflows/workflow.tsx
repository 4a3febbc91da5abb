import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type {
  ActionRecord,
  ExportWorkflowInput,
  GetWorkflowGraphAnswer,
  TokenView,
  WorkflowSummary,
} from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad, useNow, useRead } from '../../api/load.ts'
import {
  AgentLink,
  Card,
  Choices,
  Empty,
  FactList,
  Id,
  Loading,
  OutcomeMark,
  ScreenFrame,
  Shown,
  When,
} from '../../parts/basics.tsx'
import { useAll } from '../../parts/pages.tsx'
import { executionGraph } from '../../pictures/execution-graph.ts'
import { PictureFrame } from '../../pictures/picture.tsx'
import { TimelineView } from '../../pictures/timeline-view.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { agentWord, idPlace } from '../../words/ids.ts'
import { counted, numberText, score, usd } from '../../words/money.ts'
import { OUTCOMES, RATING_OUTCOMES, recordOutcome, tokenOutcome } from '../../words/outcome.ts'
import { clockTime } from '../../words/time.ts'
import { RecordTable } from '../actions/record-table.tsx'
import { DenialTable } from '../denials/denial-table.tsx'
import { TokenTreePicture } from '../tokens/token-tree-picture.tsx'

const TABS = [
  ['tree', 'Token tree'],
  ['graph', 'Execution graph'],
  ['timeline', 'Timeline'],
] as const

const MOST_TOKENS = 2000
/** The timeline draws many; the table beside the other pictures shows the newest. */
const MOST_RECORDS = { timeline: 1000, other: 200 } as const
/** Each action is a box of its own when expanded: more of them take long to place, and nobody reads them. */
const MOST_DRAWN = { aggregated: 500, expanded: 200 } as const

/** One workflow in three pictures on the same selection. */
export function WorkflowScreen({ id }: { readonly id: string }) {
  const tokens = useAll('listTokens', { provenance_ref: id }, MOST_TOKENS)
  const { query } = shownAddress.value
  const tab = TABS.find(([one]) => one === query.get('tab'))?.[0] ?? 'tree'
  const most = tab === 'timeline' ? MOST_RECORDS.timeline : MOST_RECORDS.other
  const records = useAll('listWorkflowRecords', { ref: id }, most)
  const totals = useLoad('getProvenance', { ref: id }).data
  const selected = query.get('selected') ?? undefined
  const select = (one: string) => setQuery({ selected: one === selected ? undefined : one })
  return (
    <Shown of={tokens}>
      {(data) => {
        const root = data.find(({ parent_jti }) => parent_jti === undefined)
        const actions = records.data ?? []
        const chosen = selectionOf(selected, data, actions)
        // Without a budget nobody adds up what more records than are read have spent.
        const spent_usd = records.isCut
          ? root?.budget?.spent_usd
          : actions.reduce((sum, { spend_usd }) => sum + spend_usd, 0)
        return (
          <ScreenFrame
            title={root?.purpose ?? `Workflow of ${agentWord(root?.agent_id ?? '')}`}
            lead={<Summary id={id} root={root} tokens={data} totals={totals} spent_usd={spent_usd} />}
            aside={<Exports id={id} />}
          >
            <Choices
              label="Picture"
              of={TABS}
              chosen={tab}
              choose={(value) => setQuery({ tab: value === 'tree' ? undefined : value })}
            />
            <div class="with-side">
              {tab === 'tree' && (
                <TokenTreePicture
                  title="Token tree"
                  tokens={data}
                  isPartial={tokens.isCut}
                  selected={chosen.record?.vat_jti ?? chosen.token?.jti}
                  select={select}
                />
              )}
              {tab === 'graph' && <GraphPicture id={id} selected={selected} select={select} />}
              {tab === 'timeline' && (
                <TimelinePicture
                  records={actions}
                  isPartial={records.isCut}
                  selected={selected}
                  select={select}
                />
              )}
              <Selection {...chosen} />
            </div>
            <WorkflowDenials id={id} />
            <Card title="Actions" kind="flush">
              {actions.length === 0 ? (
                <Empty title="No actions yet.">
                  They appear when an agent acts with a token of this workflow.
                </Empty>
              ) : (
                <RecordTable records={actions.slice(0, 50)} />
              )}
            </Card>
          </ScreenFrame>
        )
      }}
    </Shown>
  )
}

function selectionOf(id: string | undefined, tokens: readonly TokenView[], records: readonly ActionRecord[]) {
  const record = records.find(({ aar_id }) => aar_id === id)
  return { record, token: tokens.find(({ jti }) => jti === (record?.vat_jti ?? id)) }
}

function Summary({
  id,
  root,
  tokens,
  totals,
  spent_usd,
}: {
  readonly id: string
  readonly root: TokenView | undefined
  readonly tokens: readonly TokenView[]
  readonly totals: WorkflowSummary | undefined
  readonly spent_usd: number | undefined
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
      {spent_usd !== undefined && <span>{usd(spent_usd)}</span>}
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

interface Selecting {
  readonly selected: string | undefined
  readonly select: (id: string) => void
}

type GraphViewType = typeof import('../../pictures/graph-view.tsx').GraphView

function GraphPicture({ id, selected, select }: Selecting & { readonly id: string }) {
  const isExpanded = shownAddress.value.query.get('expanded') === '1'
  const limit = isExpanded ? MOST_DRAWN.expanded : MOST_DRAWN.aggregated
  const graph = useLoad('getWorkflowGraph', { ref: id, limit, expand: 'denials,approvals' })
  const view = useRead('view', async () => (await import('../../pictures/graph-view.tsx')).GraphView, {
    live: false,
  })
  return (
    <Shown of={graph}>
      {(data) => (
        <DrawnGraphPicture
          graph={data}
          isExpanded={isExpanded}
          View={view.data}
          selected={selected}
          select={select}
        />
      )}
    </Shown>
  )
}

function DrawnGraphPicture({
  graph,
  isExpanded,
  View,
  selected,
  select,
}: Selecting & {
  readonly graph: GetWorkflowGraphAnswer
  readonly isExpanded: boolean
  readonly View: GraphViewType | undefined
}) {
  const drawn = useMemo(() => executionGraph(graph, !isExpanded), [graph, isExpanded])
  const titles = useMemo(() => new Map(drawn.boxes.map(({ id, title }) => [id, title])), [drawn])
  return (
    <PictureFrame
      name="graph"
      title="Execution graph"
      summary={`${counted(graph.total_records, 'action')}, from cause to effect.`}
      aside={
        <Choices
          label="Detail"
          of={[
            ['', 'Aggregated'],
            ['1', 'Expanded'],
          ]}
          chosen={isExpanded ? '1' : ''}
          choose={(value) => setQuery({ expanded: value })}
        />
      }
      twin={{
        columns: ['From', 'To', 'Times'],
        rows: drawn.arrows.map(({ from, to, times }) => [
          titles.get(from) ?? '',
          titles.get(to) ?? '',
          numberText(times),
        ]),
      }}
    >
      {graph.has_more && (
        <p class="notice">
          The first {counted(isExpanded ? MOST_DRAWN.expanded : MOST_DRAWN.aggregated, 'action')} are shown.
        </p>
      )}
      {View === undefined ? <Loading /> : <View graph={drawn} selected={selected} select={select} />}
    </PictureFrame>
  )
}

function TimelinePicture({
  records,
  isPartial,
  selected,
  select,
}: Selecting & { readonly records: readonly ActionRecord[]; readonly isPartial: boolean }) {
  const now = useNow()
  return (
    <PictureFrame
      name="timeline"
      title="Timeline"
      summary={`${counted(records.length, 'action')}, one lane for each agent.`}
      twin={{
        columns: ['Agent', 'Action', 'Outcome', 'Begin', 'End'],
        rows: records.map((record) => [
          agentWord(record.agent_id),
          `${record.action} ${record.resource}`,
          OUTCOMES[recordOutcome(record)].word,
          clockTime(record.created_at),
          record.completed_at === undefined ? '' : clockTime(record.completed_at),
        ]),
      }}
    >
      {isPartial && <p class="notice">The newest {counted(records.length, 'action')} are shown.</p>}
      {records.length === 0 ? (
        <Empty title="No actions yet.">Bars appear when an agent acts.</Empty>
      ) : (
        <TimelineView records={records} selected={selected} select={select} now={now} />
      )}
    </PictureFrame>
  )
}

/** What is known about the selected token or action. */
function Selection({
  token,
  record,
}: {
  readonly token: TokenView | undefined
  readonly record: ActionRecord | undefined
}) {
  if (token === undefined && record === undefined)
    return (
      <Card title="Selection" kind="side">
        <p class="dim">
          Choose a token or an action in the picture. The selection stays when you change the picture.
        </p>
      </Card>
    )
  const facts: (readonly [string, ComponentChildren])[] = []
  if (record !== undefined)
    facts.push(
      ['Action', `${record.action} ${record.resource}`],
      ['Outcome', <OutcomeMark key="outcome" name={recordOutcome(record)} />],
      ['Spent', usd(record.spend_usd)],
      ['Trust score', score(record.trust_score)],
      ['When', <When key="when" at={record.created_at} />],
      ...(record.rating === undefined
        ? []
        : [['Rating', OUTCOMES[RATING_OUTCOMES[record.rating]].word] as const]),
    )
  if (token !== undefined)
    facts.push(
      ['Agent', <AgentLink key="agent" agent_id={token.agent_id} />],
      ['Token', <OutcomeMark key="state" name={tokenOutcome(token.status)} />],
      ['May do', token.claims.svc_scope.actions.join(', ')],
      ['On', token.claims.svc_scope.resources.join(', ')],
      ['Left', token.tightest === undefined ? 'no limit' : usd(token.tightest.remaining_usd)],
      ['Expires', <When key="expires" at={token.expires_at} />],
    )
  return (
    <Card title="Selection" kind="side">
      <FactList of={facts} />
      <div class="buttons">
        {record !== undefined && (
          <a class="button" href={idPlace(record.aar_id)}>
            Open action
          </a>
        )}
        {token !== undefined && (
          <a class="button" href={idPlace(token.jti)}>
            Open token
          </a>
        )}
      </div>
    </Card>
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
