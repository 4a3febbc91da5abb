import { useRef } from 'preact/hooks'
import type { GetStatsAnswer } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad, useNow } from '../../api/load.ts'
import { feed } from '../../live/feed.ts'
import { waitingRequests } from '../../live/waiting.ts'
import { Card, Choices, Empty, Loading, ProblemBox, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { FeedList } from '../../parts/feed-list.tsx'
import { KeyFigure } from '../../parts/figure.tsx'
import { lazyScreen } from '../../parts/lazy.tsx'
import { Bars, Line, spanOf } from '../../pictures/charts.tsx'
import { Legend, PictureFrame } from '../../pictures/picture.tsx'
import { bucketStarts } from '../../pictures/stacked-bars.ts'
import { can } from '../../shell/session.ts'
import { counted, numberText, usd } from '../../words/money.ts'
import { reasonWords } from '../../words/outcome.ts'
import { bucketTime, relativeTime } from '../../words/time.ts'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { isBeginning, isSetUpHidden } from '../first-run/beginning.ts'
import { useRange } from '../range.ts'

const FirstRun = lazyScreen(async () => (await import('../first-run/index.ts')).FirstRun)
/** Its place is reserved while it loads, so that nothing moves. */
const SetUpStrip = lazyScreen(
  async () => (await import('../first-run/index.ts')).SetUpStrip,
  <div class="card set-up" />,
)

const FEED_ROWS = 14
/** The most groups that the service returns in one answer. */
const MOST_AGENTS = 100

export function Overview() {
  const isBegun = useRef(false)
  // Only an empty service waits for its first workflow.
  const workflows = useLoad('listWorkflows', { limit: 1 }, { live: !isBegun.current })
  isBegun.current = (workflows.data?.data.length ?? 0) > 0
  if (workflows.problem !== undefined && workflows.data === undefined)
    return <ProblemBox text={workflows.problem} retry={workflows.reload} />
  if (workflows.data === undefined) return <Loading rows={8} />
  if (workflows.data.data.length === 0 || isBeginning.value) return <FirstRun id="" />
  return <BusyOverview />
}

function BusyOverview() {
  const now = useNow()
  const range = useRange(now)
  const from = new Date(range.from).toISOString()
  const stats = useLoad('getStats', { from, bucket: range.bucket })
  return (
    <ScreenFrame
      title="Overview"
      aside={<Choices label="Time range" of={range.choices} chosen={range.name} choose={range.choose} />}
    >
      {!isSetUpHidden.value && <SetUpStrip id="" />}
      <Figures stats={stats.data} from={from} said={range.said} now={now} />
      <div class="overview">
        <div class="stack">
          <NextRequest />
          <Shown of={stats}>
            {(data) => (
              <StatsPictures
                stats={data}
                from={range.from}
                step_ms={range.step_ms}
                said={range.said}
                now={now}
              />
            )}
          </Shown>
        </div>
        <LiveCard />
      </div>
      <LogStrip />
    </ScreenFrame>
  )
}

function Figures({
  stats,
  from,
  said,
  now,
}: {
  readonly stats: GetStatsAnswer | undefined
  readonly from: string
  readonly said: string
  readonly now: number
}) {
  const waiting = waitingRequests.value.data
  const agents = useLoad('listAgents', { limit: 1, total: '1' }).data
  const acting = useLoad('getStats', { from, bucket: 'all', group_by: 'agent', limit: MOST_AGENTS }).data
  const reasons = useLoad('getStats', { from, bucket: 'all', group_by: 'reason', limit: 3 }).data
  const totals = stats?.totals
  const first = waiting?.data[0]
  const active = acting?.data.filter(({ allowed, denied, other }) => allowed + denied > 0 && !other).length
  const isMore = acting?.data.some(({ other }) => other) === true
  const denied = totals?.denied ?? 0
  const open = totals === undefined ? 0 : openActions(totals)
  return (
    <div class="figures">
      <KeyFigure
        word="Waiting for a person"
        value={waiting === undefined ? undefined : numberText(waiting.total ?? 0)}
        note={
          first === undefined ? 'no pending requests' : `next expires ${relativeTime(first.expires_at, now)}`
        }
        href="/app/approvals"
        tone={first === undefined ? '' : 'ask'}
      />
      <KeyFigure
        word="Agents acting"
        value={active === undefined ? undefined : `${numberText(active)}${isMore ? '+' : ''}`}
        note={agents?.total === undefined ? '' : `of ${numberText(agents.total)} known`}
        href="/app/agents?sort=last_action"
      />
      <KeyFigure
        word={`Actions, ${said}`}
        value={totals === undefined ? undefined : numberText(totals.allowed)}
        note={
          totals === undefined
            ? ''
            : [
                `${numberText(totals.succeeded)} done`,
                `${numberText(totals.completed - totals.succeeded)} not fully`,
                ...(open > 0 ? [`${numberText(open)} pending`] : []),
              ].join(', ')
        }
        href="/app/live?kind=action"
      />
      <KeyFigure
        word={`Denied, ${said}`}
        value={totals === undefined ? undefined : numberText(denied)}
        note={
          denied === 0
            ? 'nothing was denied'
            : (reasons?.data ?? [])
                .filter(({ reason }) => reason !== undefined)
                .slice(0, 2)
                .map((row) => `${reasonWords(row.reason ?? '')} ${numberText(row.denied)}`)
                .join(', ')
        }
        href="/app/denials"
        tone={denied > 0 ? 'no' : ''}
      />
      <KeyFigure
        word={`Spent, ${said}`}
        value={totals === undefined ? undefined : usd(totals.spend_usd)}
        note={totals === undefined ? '' : `by ${counted(totals.completed, 'completed action')}`}
        href="/app/workflows"
      />
    </div>
  )
}

/** Number of actions that agents have begun and not yet completed. */
function openActions({ allowed, completed, cancelled, expired }: GetStatsAnswer['totals']): number {
  return Math.max(0, allowed - completed - cancelled - expired)
}

const SERIES = ['done', 'wait', 'dim', 'no'] as const
const SERIES_WORDS = ['done', 'not fully', 'pending', 'denied'] as const

function StatsPictures({
  stats: { data, totals },
  from,
  step_ms,
  said,
  now,
}: {
  readonly stats: GetStatsAnswer
  readonly from: number
  readonly step_ms: number
  readonly said: string
  readonly now: number
}) {
  const starts = bucketStarts(from, now, step_ms)
  const timeOf = (start: number) => bucketTime(start, step_ms, spanOf(starts))
  const rows = new Map(data.map((row) => [Date.parse(row.start), row]))
  const values = starts.map((start) => {
    const row = rows.get(start)
    if (row === undefined) return [0, 0, 0, 0]
    return [row.succeeded, row.completed - row.succeeded, openActions(row), row.denied]
  })
  let sum = 0
  const spend = starts.map((start) => {
    sum += rows.get(start)?.spend_usd ?? 0
    return { x: start, y: sum }
  })
  return (
    <>
      <PictureFrame
        name="actions"
        title={`Actions, ${said}`}
        summary={`${counted(totals.allowed, 'action')} allowed and ${numberText(totals.denied)} denied in the ${said}.`}
        legend={<Legend of={SERIES.map((tone, index) => [tone, SERIES_WORDS[index] ?? ''])} />}
        twin={{
          columns: ['Time', ...SERIES_WORDS],
          rows: starts
            .map((start, index) => [timeOf(start), ...(values[index] ?? []).map((one) => numberText(one))])
            .filter((_, index) => values[index]?.some((one) => one > 0)),
        }}
      >
        <Bars
          label={`Actions by outcome, ${said}`}
          starts={starts}
          values={values}
          tones={SERIES}
          words={SERIES_WORDS}
          step_ms={step_ms}
          show={(value) => numberText(value)}
        />
      </PictureFrame>
      <PictureFrame
        name="spend"
        title={`Spend, ${said}`}
        summary={`${usd(totals.spend_usd)} were spent in the ${said}.`}
        twin={{
          columns: ['Time', 'Spent so far'],
          rows: spend.map(({ x, y }) => [timeOf(x), usd(y)]),
        }}
      >
        <Line
          label={`Spend so far, ${said}`}
          points={spend}
          step_ms={step_ms}
          show={(value) => `$${numberText(value)}`}
          isStepped
          height={120}
        />
      </PictureFrame>
    </>
  )
}

function NextRequest() {
  const { data, reload } = waitingRequests.value
  const [first] = data?.data ?? []
  return first === undefined ? null : <ApprovalCard approval={first} reload={reload} />
}

function LiveCard() {
  const events = feed.value.slice(0, FEED_ROWS)
  return (
    <Card title="Live" kind="flush" aside={<a href="/app/live">All events</a>}>
      {events.length === 0 ? (
        <Empty title="Nothing happened yet.">Events appear here as agents act.</Empty>
      ) : (
        <FeedList events={events} />
      )}
    </Card>
  )
}

function LogStrip() {
  const { data } = useLoad('listWitnesses', can('listWitnesses') ? {} : undefined)
  if (data === undefined) return null
  const isSigned = data.checkpoint_size === data.log_size
  return (
    <a class="strip" href="/app/log">
      <span class={isSigned ? 'outcome done' : 'outcome wait'}>
        <span aria-hidden="true">{isSigned ? '●' : '◐'}</span>{' '}
        {isSigned ? 'All entries are signed' : 'Signing new entries'}
      </span>
      <span>{counted(data.log_size, 'entry', 'entries')}</span>
      {data.checkpoint_signed_at !== undefined && (
        <span>
          signed <When at={data.checkpoint_signed_at} />
        </span>
      )}
      <span>
        {data.quorum === 0
          ? 'no witness is configured'
          : `${numberText(data.cosigned)} of ${counted(data.quorum, 'needed witness', 'needed witnesses')} cosigned`}
      </span>
    </a>
  )
}
