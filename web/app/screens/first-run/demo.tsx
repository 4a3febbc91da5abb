/** The demo: the live pictures of the dashboard, with data that exists only in this browser. */
import { useEffect, useState } from 'preact/hooks'
import { Card, Choices, Loading, OutcomeMark } from '../../parts/basics.tsx'
import type { DrawnGraph } from '../../pictures/execution-graph.ts'
import { PictureFrame } from '../../pictures/picture.tsx'
import { TimelineView } from '../../pictures/timeline-view.tsx'
import { TokenTreeView } from '../../pictures/token-tree-view.tsx'
import { agentWord } from '../../words/ids.ts'
import { counted, usd } from '../../words/money.ts'
import { OUTCOMES, recordOutcome, tokenOutcome } from '../../words/outcome.ts'
import { clockTime } from '../../words/time.ts'
import {
  DEMO_BEGIN,
  DEMO_STEPS,
  type DemoProgress,
  type DemoWorld,
  demoWorld,
  HOTEL,
  STEP_MS,
} from './demo-story.ts'

const STEP_EVERY_MS = 1400

const PICTURES = [
  ['tree', 'Token tree'],
  ['graph', 'Execution graph'],
  ['timeline', 'Timeline'],
] as const
type PictureName = (typeof PICTURES)[number][0]

/** The time at which the story begins, so that it ends about now. */
function demoBegin(): number {
  return Date.now() - DEMO_STEPS * STEP_MS
}

export function Demo() {
  const [begin_ms, setBegin] = useState(demoBegin)
  const [progress, setProgress] = useState(DEMO_BEGIN)
  // People who want no motion go step by step.
  const [isPlaying, setPlaying] = useState(() => !matchMedia('(prefers-reduced-motion: reduce)').matches)
  const world = demoWorld(progress, begin_ms)
  const canStep = !world.isOver && world.request === undefined
  const step = () => setProgress((before) => ({ ...before, shown: Math.min(before.shown + 1, DEMO_STEPS) }))
  useEffect(() => {
    if (!isPlaying || !canStep) return
    const timer = setTimeout(step, STEP_EVERY_MS)
    return () => clearTimeout(timer)
  }, [isPlaying, canStep, progress])
  const again = () => {
    setBegin(demoBegin())
    setProgress(DEMO_BEGIN)
  }
  return (
    <section class="demo" aria-label="Demo">
      <header>
        <p>
          <span class="strong">Demo data.</span> Runs in your browser. None of it is in your log.
        </p>
        <div class="buttons">
          {world.isOver ? (
            <button type="button" class="small" onClick={again}>
              Play again
            </button>
          ) : (
            <button type="button" class="small" onClick={() => setPlaying(!isPlaying)}>
              {isPlaying ? 'Pause' : 'Play'}
            </button>
          )}
          <button type="button" class="small" disabled={!canStep} onClick={step}>
            Next step
          </button>
          <a class="button small" href="/app">
            Close the demo
          </a>
        </div>
      </header>
      <DemoPart world={world} progress={progress} change={setProgress} />
    </section>
  )
}

interface DemoParts {
  readonly world: DemoWorld
  readonly progress: DemoProgress
  readonly change: (progress: DemoProgress) => void
}

function DemoPart({ world, progress, change }: DemoParts) {
  return (
    <>
      <DemoFigures world={world} />
      <div class="overview">
        <div class="stack">
          <DemoRequestCard world={world} progress={progress} change={change} />
          <DemoPictures world={world} />
        </div>
        <Card title="Live" kind="flush">
          <div class="feed">
            <ol>
              {world.lines.map(({ at, agent_id, outcome, text, note }) => (
                <li key={`${at} ${outcome} ${text}`} class="arrived">
                  <time dateTime={at}>{clockTime(at)}</time>
                  <OutcomeMark name={outcome} />
                  <span class="feed-text">
                    <span class="strong">{agentWord(agent_id)}</span> {text} <span class="dim">{note}</span>
                  </span>
                </li>
              ))}
            </ol>
          </div>
        </Card>
      </div>
    </>
  )
}

function DemoFigures({ world: { records, denials, tokens, request } }: { readonly world: DemoWorld }) {
  const spent = records.reduce((sum, { spend_usd }) => sum + spend_usd, 0)
  return (
    <div class="figures">
      {(
        [
          ['Waiting for a person', request === undefined ? '0' : '1'],
          ['Agents acting', String(tokens.filter(({ status }) => status === 'live').length)],
          ['Actions', String(records.length)],
          ['Denied', String(denials.length)],
          ['Spent', usd(spent)],
        ] as const
      ).map(([word, value]) => (
        <div key={word} class="figure">
          <span class="figure-word">{word}</span>
          <span class="figure-value">{value}</span>
          <span class="figure-note">demo</span>
        </div>
      ))}
    </div>
  )
}

function DemoRequestCard({ world: { request, tokens }, progress, change }: DemoParts) {
  const hotel = tokens.find(({ jti }) => jti === HOTEL)
  const stop = () => change({ ...progress, stopped_after: progress.shown })
  if (hotel === undefined) return null
  if (request === undefined)
    return hotel.status === 'live' ? (
      <div class="buttons">
        <button type="button" class="small danger" onClick={stop}>
          Stop {agentWord(hotel.agent_id)}
        </button>
      </div>
    ) : null
  return (
    <Card
      title={`${agentWord(request.agent_id)} asks to ${request.text} for ${usd(request.spend_usd)}`}
      kind="asking"
    >
      <p role="status">
        Its token requires approval above $100.00. {usd(request.left_usd)} of its budget would be left.
      </p>
      <div class="buttons">
        <button type="button" class="filled" onClick={() => change({ ...progress, answer: 'approved' })}>
          Approve {usd(request.spend_usd)}
        </button>
        <button type="button" onClick={() => change({ ...progress, answer: 'denied' })}>
          Deny
        </button>
        <button type="button" class="danger" onClick={stop}>
          Stop {agentWord(request.agent_id)}
        </button>
      </div>
    </Card>
  )
}

function DemoPictures({ world }: { readonly world: DemoWorld }) {
  const [shown, show] = useState<PictureName>('tree')
  const [selected, select] = useState<string>()
  return (
    <>
      <Choices label="Picture" of={PICTURES} chosen={shown} choose={show} />
      {shown === 'tree' && (
        <PictureFrame
          name="demo-tree"
          title="Token tree (demo)"
          summary={`${counted(world.tokens.length, 'token')} of the demo.`}
          twin={{
            columns: ['Agent', 'State', 'Left'],
            rows: world.tokens.map(({ agent_id, status, tightest }) => [
              agentWord(agent_id),
              OUTCOMES[tokenOutcome(status)].word,
              tightest === undefined ? 'no limit' : usd(tightest.remaining_usd),
            ]),
          }}
        >
          <TokenTreeView tokens={world.tokens} selected={selected} select={select} />
        </PictureFrame>
      )}
      {shown === 'graph' && <DemoGraph world={world} selected={selected} select={select} />}
      {shown === 'timeline' && (
        <PictureFrame
          name="demo-timeline"
          title="Timeline (demo)"
          summary={`${counted(world.records.length, 'action')} of the demo.`}
          twin={{
            columns: ['Agent', 'Action', 'Outcome', 'Begin'],
            rows: world.records.map((record) => [
              agentWord(record.agent_id),
              `${record.action} ${record.resource}`,
              OUTCOMES[recordOutcome(record)].word,
              clockTime(record.created_at),
            ]),
          }}
        >
          {world.records.length > 0 && (
            <TimelineView records={world.records} selected={selected} select={select} now={Date.now()} />
          )}
        </PictureFrame>
      )}
    </>
  )
}

type DemoGraphView = typeof import('../../pictures/graph-view.tsx').GraphView

function DemoGraph({
  world,
  selected,
  select,
}: {
  readonly world: DemoWorld
  readonly selected: string | undefined
  readonly select: (id: string) => void
}) {
  const [View, setView] = useState<{ readonly of: DemoGraphView }>()
  useEffect(() => {
    import('../../pictures/graph-view.tsx').then(({ GraphView }) => setView({ of: GraphView }))
  }, [])
  const graph = demoGraph(world)
  const titleOf = (id: string) => graph.boxes.find((box) => box.id === id)?.title ?? ''
  return (
    <PictureFrame
      name="demo-graph"
      title="Execution graph (demo)"
      summary="Who let whom do what in the demo."
      twin={{
        columns: ['From', 'To'],
        rows: graph.arrows.map(({ from, to }) => [titleOf(from), titleOf(to)]),
      }}
    >
      {View === undefined ? <Loading /> : <View.of graph={graph} selected={selected} select={select} />}
    </PictureFrame>
  )
}

function demoGraph({ tokens, records, denials }: DemoWorld): DrawnGraph {
  const party = (id: string, kind: 'person' | 'agent', title: string) =>
    ({ id, kind, title, note: '', outcome: undefined, aar_ids: [] }) as const
  return {
    boxes: [
      party('you', 'person', 'You'),
      ...tokens.map(({ jti, agent_id }) => party(jti, 'agent', agentWord(agent_id))),
      ...records.map(({ aar_id, action, resource, spend_usd }) => ({
        id: aar_id,
        kind: 'action' as const,
        title: `${action} ${resource}`,
        note: spend_usd === 0 ? '' : usd(spend_usd),
        outcome: 'done' as const,
        aar_ids: [aar_id],
      })),
      ...denials.map(({ id, text, reason }) => ({
        id,
        kind: 'denial' as const,
        title: text,
        note: reason,
        outcome: 'denied' as const,
        aar_ids: [],
      })),
    ],
    arrows: [
      ...tokens.map(({ jti, parent_jti }) => ({ from: parent_jti ?? 'you', to: jti, times: 1 })),
      ...records.map(({ vat_jti, aar_id }) => ({ from: vat_jti, to: aar_id, times: 1 })),
      ...denials.map(({ vat_jti, id }) => ({ from: vat_jti, to: id, times: 1 })),
    ],
  }
}
