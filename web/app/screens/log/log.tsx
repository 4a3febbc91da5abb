import { useState } from 'preact/hooks'
import type { ListWitnessesAnswer, WitnessStatus } from '../../../../sdk/node/src/generated/operations.ts'
import type { Finding } from '../../../verify/check.ts'
import { useLoad } from '../../api/load.ts'
import {
  Card,
  copy,
  Empty,
  FactList,
  Id,
  Mark,
  ProblemBox,
  ScreenFrame,
  Shown,
  When,
} from '../../parts/basics.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { Line } from '../../pictures/charts.tsx'
import { PictureFrame } from '../../pictures/picture.tsx'
import { can } from '../../shell/session.ts'
import { counted, numberText } from '../../words/money.ts'
import { localTime } from '../../words/time.ts'

export function Log() {
  const witnesses = useLoad('listWitnesses', {})
  return (
    <ScreenFrame
      title="Log & witnesses"
      lead={
        <>
          Every event is an entry in one log, which <a href="/app/live">Live</a> shows in words. The log is
          signed about once a second, so that later changes are detected.
        </>
      }
    >
      <div class="pair">
        <Shown of={witnesses}>
          {(data) => (
            <Card title="State">
              <FactList
                of={[
                  ['Entries', numberText(data.log_size)],
                  ['Signed', <SignedMark key="state" of={data} />],
                  ['Last signed', <When key="signed" at={data.checkpoint_signed_at} />],
                  [
                    'Witnesses',
                    data.quorum === 0
                      ? 'none configured'
                      : `${numberText(data.cosigned)} cosigned, ${numberText(data.quorum)} needed`,
                  ],
                ]}
              />
              <KeyFacts />
            </Card>
          )}
        </Shown>
        <Verify />
      </div>
      <Growth />
      <Card title="Witnesses" kind="flush">
        <Shown of={witnesses}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No witness is configured.">
                A witness is another party that cosigns the log, which exposes a service that shows two
                versions of it. <a href="/guides/witness">The guide on witnesses</a> says how to add one.
              </Empty>
            ) : (
              <Table label="Witnesses" columns={WITNESS_COLUMNS} rows={data} keyOf={({ vkey }) => vkey} />
            )
          }
        </Shown>
      </Card>
    </ScreenFrame>
  )
}

function SignedMark({ of: { checkpoint_size = 0, log_size } }: { readonly of: ListWitnessesAnswer }) {
  return checkpoint_size === log_size ? (
    <Mark tone="done" shape="●" word="all entries" />
  ) : (
    <Mark tone="wait" shape="◐" word={`${numberText(checkpoint_size)} of ${numberText(log_size)}`} />
  )
}

const WITNESS_STATES = {
  ok: { tone: 'done', shape: '●', word: 'cosigns' },
  behind: { tone: 'wait', shape: '◐', word: 'behind' },
  failing: { tone: 'no', shape: '✕', word: 'failing' },
  pending: { tone: 'dim', shape: '○', word: 'not asked yet' },
} as const

const WITNESS_COLUMNS: readonly ListColumn<WitnessStatus>[] = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'State', cell: ({ state }) => <Mark {...WITNESS_STATES[state]} /> },
  {
    name: 'Cosigned',
    number: true,
    cell: ({ cosigned_size }) => (cosigned_size === undefined ? '–' : numberText(cosigned_size)),
  },
  { name: 'When', wide: true, cell: ({ cosigned_at }) => <When at={cosigned_at} /> },
  { name: 'What it says', wide: true, cell: ({ explanation }) => explanation },
  { name: 'Key', wide: true, cell: ({ vkey }) => <Id id={vkey} /> },
]

/** The key that verifiers pin, and the newest checkpoint as a file. */
function KeyFacts() {
  const { data } = useLoad('getDeployment', {}, { live: false })
  if (data === undefined) return null
  return (
    <>
      <FactList
        of={[
          ['Origin', data.log.origin],
          ['Key of the log', <Id key="vkey" id={data.log.vkey} />],
        ]}
      />
      <div class="buttons">
        <button type="button" onClick={() => void copy(data.log.vkey, 'Key copied')}>
          Copy key
        </button>
        {/* The exact signed bytes: texts on screens are changed to be readable. */}
        <a class="button" download="checkpoint.txt" href="/checkpoint">
          Download checkpoint
        </a>
      </div>
    </>
  )
}

function Growth() {
  const list = useLoad('listCheckpoints', { limit: 100 })
  return (
    <Shown of={list}>
      {({ data }) => {
        const points = growthPoints(data, Date.now())
        return (
          <PictureFrame
            name="growth"
            title="Growth of the log"
            summary={`${counted(data.length, 'checkpoint')}, the newest with ${counted(points.at(-1)?.y ?? 0, 'entry', 'entries')}.`}
            twin={{
              columns: ['Signed', 'Entries'],
              rows: data.map(({ signed_at, size }) => [localTime(signed_at), numberText(size)]),
            }}
          >
            {data.length < 2 ? (
              <Empty title="Too few checkpoints for a line.">
                Each second in which the log grows adds one.
              </Empty>
            ) : (
              <Line
                label="Entries of the log"
                points={points}
                step_ms={1000}
                show={(value) => numberText(value)}
                isStepped
              />
            )}
          </PictureFrame>
        )
      }}
    </Shown>
  )
}

interface SignedSize {
  readonly size: number
  readonly signed_at: string
}

/** `checkpoints` has the newest first. The line extends the newest size to now. */
function growthPoints(checkpoints: readonly SignedSize[], now: number) {
  const points = checkpoints
    .toReversed()
    .map(({ size, signed_at }) => ({ x: Date.parse(signed_at), y: size }))
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return points
  const shown_until = Math.min(now, last.x + (last.x - first.x) / 20)
  return shown_until > last.x ? [...points, { x: shown_until, y: last.y }] : points
}

const RESULTS = {
  sound: { tone: 'done', shape: '●', word: 'Verified' },
  fault: { tone: 'no', shape: '✕', word: 'Verification failed' },
  unchecked: { tone: 'wait', shape: '◐', word: 'Could not be checked' },
} as const

/** Checks the whole log in this browser. */
function Verify() {
  const [share, setShare] = useState<number>()
  const [finding, setFinding] = useState<Finding>()
  const run = async () => {
    setFinding(undefined)
    setShare(0)
    const { checkLog } = await import('../../../verify/check.ts')
    setFinding(await checkLog(({ checked, of }) => setShare(of === 0 ? 1 : checked / of), undefined))
    setShare(undefined)
  }
  return (
    <Card title="Verify in this browser">
      <p>Your browser downloads every entry, hashes it and compares the result with the signed checkpoint.</p>
      <div class="buttons">
        <button type="button" class="filled" disabled={share !== undefined} onClick={() => void run()}>
          Verify now
        </button>
        {can('getCheckpoint') && (
          <a class="button" href="/verify" target="_blank" rel="noreferrer">
            Verify a file
          </a>
        )}
      </div>
      {share !== undefined && (
        <progress value={share} max="1" aria-label="Share of the log that is verified" />
      )}
      <div role="status">
        {finding !== undefined && (
          <>
            <p class="result">
              <Mark {...RESULTS[finding.outcome]} />
            </p>
            <p>{finding.sentence}</p>
            {finding.outcome === 'fault' &&
              finding.notes.map((note) => <ProblemBox key={note} text={note} />)}
            <FactList of={finding.facts} />
          </>
        )}
      </div>
    </Card>
  )
}
