/** The execution graph and the timeline of a workflow, which share a selection. */
import { useMemo } from 'preact/hooks'
import { type Loaded, useNow, useRead } from '../../api/load.ts'
import { Choices, Empty, Loading, Shown } from '../../parts/basics.tsx'
import { executionGraph } from '../../pictures/execution-graph.ts'
import { PictureFrame } from '../../pictures/picture.tsx'
import { TimelineView } from '../../pictures/timeline-view.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { agentNames, nameOfAgent } from '../../words/agent-names.ts'
import { idPlace } from '../../words/ids.ts'
import { counted, numberText } from '../../words/money.ts'
import { OUTCOMES, recordOutcome } from '../../words/outcome.ts'
import { clockTime } from '../../words/time.ts'
import { MOST_ACTIONS, useTimelineRecords, type WholeGraph } from './whole-graph.ts'

interface Selecting {
  readonly selected: string | undefined
  readonly select: (id: string) => void
}

/** The most rows of a table twin. Exports have all of them. */
const MOST_ROWS = 500

export function GraphPicture({ of, ...selecting }: Selecting & { readonly of: Loaded<WholeGraph> }) {
  return <Shown of={of}>{(graph) => <DrawnGraphPicture graph={graph} {...selecting} />}</Shown>
}

export function TimelinePicture({ of, ...selecting }: Selecting & { readonly of: Loaded<WholeGraph> }) {
  return <Shown of={of}>{(graph) => <DrawnTimeline graph={graph} {...selecting} />}</Shown>
}

function isExpandedNow(): boolean {
  return shownAddress.value.query.get('expanded') === '1'
}

function DetailChoice() {
  return (
    <Choices
      label="Detail"
      of={[
        ['', 'Aggregated'],
        ['1', 'Expanded'],
      ]}
      chosen={isExpandedNow() ? '1' : ''}
      choose={(value) => setQuery({ expanded: value })}
    />
  )
}

function CutNotice({ graph }: { readonly graph: WholeGraph }) {
  if (!graph.isCut) return null
  return (
    <p class="notice">
      The first {counted(MOST_ACTIONS, 'action')} of {numberText(graph.total_records)} are shown.
    </p>
  )
}

function DrawnGraphPicture({ graph, selected, select }: Selecting & { readonly graph: WholeGraph }) {
  const isExpanded = isExpandedNow()
  const view = useRead('view', async () => (await import('../../pictures/graph-view.tsx')).GraphView, {
    live: false,
  })
  // A dependency of the graph: boxes show the names of their agents.
  const names = agentNames.value
  const drawn = useMemo(() => executionGraph(graph, !isExpanded), [graph, isExpanded, names])
  const titles = useMemo(() => new Map(drawn.boxes.map(({ id, title }) => [id, title])), [drawn])
  const View = view.data
  return (
    <PictureFrame
      name="graph"
      title="Execution graph"
      summary={`${counted(graph.total_records, 'action')}, from cause to effect.`}
      aside={<DetailChoice />}
      twin={{
        columns: ['From', 'To', 'Times'],
        rows: drawn.arrows
          .slice(0, MOST_ROWS)
          .map(({ from, to, times }) => [titles.get(from) ?? '', titles.get(to) ?? '', numberText(times)]),
      }}
    >
      <CutNotice graph={graph} />
      {View === undefined ? <Loading /> : <View graph={drawn} selected={selected} select={select} />}
    </PictureFrame>
  )
}

function DrawnTimeline({ graph, selected, select }: Selecting & { readonly graph: WholeGraph }) {
  const records = useTimelineRecords(graph)
  const now = useNow()
  const isExpanded = isExpandedNow()
  return (
    <PictureFrame
      name="timeline"
      title="Timeline"
      summary={`${counted(records.length, 'action')}, one lane for each agent.`}
      aside={<DetailChoice />}
      twin={{
        columns: ['Agent', 'Action', 'Outcome', 'Begin', 'End'],
        rows: records.slice(0, MOST_ROWS).map((record) => [
          nameOfAgent(record.agent_id),
          <a key={record.aar_id} href={idPlace(record.aar_id)}>
            {record.action} {record.resource}
          </a>,
          OUTCOMES[recordOutcome(record)].word,
          clockTime(record.created_at),
          record.completed_at === undefined ? '' : clockTime(record.completed_at),
        ]),
      }}
    >
      <CutNotice graph={graph} />
      {records.length === 0 ? (
        <Empty title="No actions yet.">Bars appear when an agent acts.</Empty>
      ) : (
        <TimelineView
          records={records}
          isExpanded={isExpanded}
          selected={selected}
          select={select}
          now={now}
        />
      )}
    </PictureFrame>
  )
}
