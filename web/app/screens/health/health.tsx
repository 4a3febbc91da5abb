import { useEffect, useRef } from 'preact/hooks'
import type { GetServiceStatusAnswer, StatusMinute } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad, useNow } from '../../api/load.ts'
import { Card, Empty, FactList, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { KeyFigure } from '../../parts/figure.tsx'
import { Line } from '../../pictures/charts.tsx'
import { PictureFrame } from '../../pictures/picture.tsx'
import { bytesText, tookText } from '../../words/bytes.ts'
import { counted, numberText } from '../../words/money.ts'
import { bucketTime, relativeTime } from '../../words/time.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const RENEWED_EVERY_MS = 10_000

/** The state of the node that answers. */
export function HealthScreen() {
  const status = useLoad('getServiceStatus', {})
  const now = useNow(RENEWED_EVERY_MS)
  const first = useRef(now)
  useEffect(() => {
    if (now !== first.current) status.reload()
  }, [now])
  return (
    <ScreenFrame title="Health" lead="The node that answers, since it started. For alarms, use GET /metrics.">
      <Shown of={status}>{(data) => <StatusPage status={data} now={now} />}</Shown>
    </ScreenFrame>
  )
}

function StatusPage({ status, now }: { readonly status: GetServiceStatusAnswer; readonly now: number }) {
  const { reasons, warnings, minutes } = status
  return (
    <>
      {reasons.map(({ code, detail }) => (
        <p class="notice" key={code}>
          Not ready: {detail}{' '}
          <a href={`/problems/${code}`} target="_blank" rel="noreferrer">
            What to do
          </a>
        </p>
      ))}
      {warnings.includes('restore_unnoticed') && (
        <p class="notice">
          An old copy of the data directory could be put back unnoticed, with tokens that were revoked since.
          Add a witness, or keep the checkpoint file outside the data directory (DEPUTY_CHECKPOINT_FILE).
        </p>
      )}
      <HealthFigures status={status} now={now} />
      <Charts minutes={minutes} />
      <Details status={status} />
    </>
  )
}

function HealthFigures({ status, now }: { readonly status: GetServiceStatusAnswer; readonly now: number }) {
  const { ready, started_at, waiting, minutes, log, disk, memory_bytes, version } = status
  const last = minutes.at(-1)
  const unsigned = log.size - (log.checkpoint_size ?? 0)
  return (
    <div class="figures">
      <KeyFigure
        word="State"
        value={ready ? '● ready' : '✕ not ready'}
        tone={ready ? 'done' : 'no'}
        note={`version ${version}, started ${relativeTime(started_at, now)}`}
      />
      <KeyFigure word="Waiting" value={numberText(waiting)} note="changes that wait for a commit" />
      <KeyFigure
        word="Commit, p99"
        value={last === undefined ? '–' : tookText(last.p99_ms)}
        note={last === undefined ? 'no commit yet' : `p50 ${tookText(last.p50_ms)}, last busy minute`}
      />
      <KeyFigure
        word="Log"
        value={numberText(log.size)}
        note={
          unsigned === 0 ? 'all entries signed' : `${counted(unsigned, 'entry', 'entries')} not signed yet`
        }
      />
      {disk === undefined ? (
        <KeyFigure word="Memory" value={bytesText(memory_bytes)} note="the data is in PostgreSQL" />
      ) : (
        <KeyFigure
          word="Disk free"
          value={bytesText(disk.free_bytes)}
          tone={disk.free_bytes < disk.total_bytes / 10 ? 'no' : ''}
          note={`of ${bytesText(disk.total_bytes)}`}
        />
      )}
    </div>
  )
}

interface ChartOf {
  readonly name: string
  /** With its unit, so that the axis has room for large numbers. */
  readonly title: string
  readonly value: (minute: StatusMinute) => number
}

const BYTES_OF_MB = 1_000_000
/** Fewer minutes would all have the same label on the axis. */
const FEWEST_MINUTES = 5

const CHARTS: readonly ChartOf[] = [
  { name: 'changes', title: 'Changes per minute', value: ({ commands }) => commands },
  { name: 'p99', title: 'Time of a commit in ms, p99', value: ({ p99_ms }) => p99_ms },
  { name: 'queue', title: 'Most changes waiting', value: ({ most_waiting }) => most_waiting },
  {
    name: 'memory',
    title: 'Memory in MB',
    value: ({ memory_bytes }) => Math.round(memory_bytes / BYTES_OF_MB),
  },
]

function Charts({ minutes }: { readonly minutes: readonly StatusMinute[] }) {
  if (minutes.length < FEWEST_MINUTES)
    return (
      <Card title="The last hour">
        <Empty title="Too few minutes for a line.">
          Each minute in which something is committed adds a point: {counted(minutes.length, 'minute')} so
          far.
        </Empty>
      </Card>
    )
  return (
    <div class="pair">
      {CHARTS.map((chart) => (
        <MinuteChart key={chart.name} {...chart} minutes={minutes} />
      ))}
    </div>
  )
}

function MinuteChart({
  name,
  title,
  value,
  minutes,
}: ChartOf & { readonly minutes: readonly StatusMinute[] }) {
  const points = minutes.map((minute) => ({ x: Date.parse(minute.start), y: value(minute) }))
  const last = points.at(-1)?.y ?? 0
  return (
    <PictureFrame
      name={name}
      title={title}
      summary={`${title}: ${numberText(last)} in the last busy minute, at most ${numberText(Math.max(...points.map(({ y }) => y)))} in the last hour.`}
      twin={{
        columns: ['Minute', title],
        rows: points.map(({ x, y }) => [bucketTime(x, MINUTE_MS, HOUR_MS), numberText(y)]),
      }}
    >
      <Line label={title} points={points} step_ms={MINUTE_MS} show={(one) => numberText(one)} height={132} />
    </PictureFrame>
  )
}

function Details({ status }: { readonly status: GetServiceStatusAnswer }) {
  const { access, started_at, log, witnesses, memory_bytes, minutes, last_backup_at } = status
  const failures = minutes.reduce((sum, minute) => sum + minute.failures, 0)
  return (
    <Card title="Details" kind="columns">
      <FactList
        of={[
          ['Access', `${access} mode`],
          ['Started', <When key="started" at={started_at} />],
          ['Memory', bytesText(memory_bytes)],
          ['Failed commits', `${numberText(failures)} in the last hour`],
          ['Last signed', <When key="signed" at={log.checkpoint_signed_at} />],
          [
            'Last backup',
            last_backup_at === undefined ? 'unknown' : <When key="backup" at={last_backup_at} />,
          ],
          ['Witnesses', witnessWords(witnesses)],
        ]}
      />
    </Card>
  )
}

function witnessWords({ configured, failing, quorum }: GetServiceStatusAnswer['witnesses']): string {
  if (configured === 0) return 'none configured'
  const state = failing === 0 ? 'all answer' : `${numberText(failing)} failing`
  return `${numberText(configured)} configured, ${numberText(quorum)} needed, ${state}`
}
