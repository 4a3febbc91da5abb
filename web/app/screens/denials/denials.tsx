import { useState } from 'preact/hooks'
import type { ListDenialsInput } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad, useNow } from '../../api/load.ts'
import {
  AgentLink,
  Card,
  Choices,
  Empty,
  FactList,
  Id,
  OutcomeMark,
  ScreenFrame,
  Shown,
  When,
} from '../../parts/basics.tsx'
import { FilterChip, NoMatch } from '../../parts/filters.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { StopAgent } from '../../parts/stop-dialogs.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { Bars, spanOf } from '../../pictures/charts.tsx'
import { Legend, PictureFrame } from '../../pictures/picture.tsx'
import { bucketStarts } from '../../pictures/stacked-bars.ts'
import { shownAddress } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { denialAdvice } from '../../words/denial-advice.ts'
import { idPlace } from '../../words/ids.ts'
import { counted, numberText, usd } from '../../words/money.ts'
import { reasonWords } from '../../words/outcome.ts'
import { bucketTime } from '../../words/time.ts'
import { useRange } from '../range.ts'
import { DenialTable } from './denial-table.tsx'

type Reason = NonNullable<ListDenialsInput['reason']>

/** Reasons have no fixed colours: the legend and the table name their shades. */
const SHADES = ['no', 'wait', 'accent', 'ink', 'dim'] as const

export function DenialsScreen() {
  const now = useNow()
  const range = useRange(now, '24h')
  const from = new Date(range.from).toISOString()
  const { query } = shownAddress.value
  const agent_id = query.get('agent_id') ?? undefined
  // If the reason is unknown, the service answers with the list of known ones.
  const reason = (query.get('reason') ?? undefined) as Reason | undefined
  const list = usePages('listDenials', {
    from,
    limit: 50,
    ...(agent_id !== undefined && { agent_id }),
    ...(reason !== undefined && { reason }),
  })
  return (
    <ScreenFrame
      title="Denials"
      lead="What agents asked for and were not allowed to do."
      aside={<Choices label="Time range" of={range.choices} chosen={range.name} choose={range.choose} />}
    >
      {(agent_id !== undefined || reason !== undefined) && (
        <div class="filters">
          {agent_id !== undefined && <FilterChip name="agent_id" word={nameOfAgent(agent_id)} />}
          {reason !== undefined && <FilterChip name="reason" word={reasonWords(reason)} />}
        </div>
      )}
      <div class="pair wide-left">
        <ReasonBars
          from={range.from}
          step_ms={range.step_ms}
          bucket={range.bucket}
          said={range.said}
          agent_id={agent_id}
          now={now}
        />
        {agent_id === undefined && <MostDenied from={from} />}
      </div>
      <Shown of={list}>
        {(denials) =>
          denials.length === 0 && (agent_id !== undefined || reason !== undefined) ? (
            <NoMatch title={`No denials in the ${range.said} match.`} filters={['agent_id', 'reason']} />
          ) : denials.length === 0 ? (
            <Empty title={`No denials in the ${range.said}.`}>
              Denials appear when an agent asks for something outside its token.
            </Empty>
          ) : (
            <>
              <Card title="Latest" kind="flush">
                <DenialTable denials={denials} />
              </Card>
              <MoreButton of={list} />
            </>
          )
        }
      </Shown>
    </ScreenFrame>
  )
}

function ReasonBars({
  from,
  step_ms,
  bucket,
  said,
  agent_id,
  now,
}: {
  readonly from: number
  readonly step_ms: number
  readonly bucket: 'minute' | 'hour' | 'day'
  readonly said: string
  readonly agent_id: string | undefined
  readonly now: number
}) {
  // Counts per minute exist only for the whole tenant.
  const counted_by = bucket === 'minute' ? 'hour' : bucket
  const step = bucket === 'minute' ? 3_600_000 : step_ms
  const begin = Math.floor(from / step) * step
  const stats = useLoad('getStats', {
    from: new Date(begin).toISOString(),
    bucket: counted_by,
    group_by: 'reason',
    limit: 19,
    ...(agent_id !== undefined && { agent_id }),
  })
  return (
    <Shown of={stats}>
      {({ data }) => {
        const sums = new Map<string, number>()
        for (const row of data)
          if (row.reason !== undefined) sums.set(row.reason, (sums.get(row.reason) ?? 0) + row.denied)
        const reasons = [...sums].sort(([, one], [, other]) => other - one).map(([reason]) => reason)
        const shown = reasons.slice(0, SHADES.length - 1)
        const starts = bucketStarts(begin, now, step)
        const values = starts.map((start) => {
          const rows = data.filter((row) => Date.parse(row.start) === start)
          const of = (reason: string) => rows.find((row) => row.reason === reason)?.denied ?? 0
          const rest = rows
            .filter(({ reason }) => reason !== undefined && !shown.includes(reason))
            .reduce((sum, row) => sum + row.denied, 0)
          return [...shown.map(of), rest]
        })
        const words = [...shown.map(reasonWords), 'other reasons']
        const tones = [...SHADES.slice(0, shown.length), 'dim']
        const total = [...sums.values()].reduce((sum, one) => sum + one, 0)
        return (
          <PictureFrame
            name="reasons"
            title={`By reason, ${said}`}
            summary={`${counted(total, 'reason')} of denials in the ${said}.`}
            legend={
              <Legend
                of={words
                  .map((word, index) => [tones[index] ?? 'dim', word] as const)
                  .slice(0, reasons.length > shown.length ? undefined : shown.length)}
              />
            }
            twin={{
              columns: ['Time', ...words],
              rows: starts
                .map((start, index) => [
                  bucketTime(start, step, spanOf(starts)),
                  ...(values[index] ?? []).map((one) => numberText(one)),
                ])
                .filter((_, index) => values[index]?.some((one) => one > 0)),
            }}
          >
            <Bars
              label={`Denials by reason, ${said}`}
              starts={starts}
              values={values}
              tones={tones}
              words={words}
              step_ms={step}
              show={(value) => numberText(value)}
            />
          </PictureFrame>
        )
      }}
    </Shown>
  )
}

interface DeniedAgent {
  readonly agent_id: string
  readonly denied: number
  readonly allowed: number
}

/** The agents that were denied most, with buttons to stop them. */
function MostDenied({ from }: { readonly from: string }) {
  const stats = useLoad('getStats', { from, bucket: 'all', group_by: 'agent', limit: 100 })
  const [stopping, stop] = useState<string>()
  const columns: readonly ListColumn<DeniedAgent>[] = [
    { name: 'Agent', cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
    { name: 'Denied', number: true, cell: ({ denied }) => <span class="no">{numberText(denied)}</span> },
    { name: 'Allowed', number: true, cell: ({ allowed }) => numberText(allowed) },
    {
      name: 'Stop',
      cell: ({ agent_id }) =>
        can('suspendAgent') && (
          <button type="button" class="danger small" onClick={() => stop(agent_id)}>
            Stop…<span class="sr"> {nameOfAgent(agent_id)}</span>
          </button>
        ),
    },
  ]
  return (
    <Card title="Denied most" kind="flush">
      <Shown of={stats}>
        {({ data }) => {
          const rows = data
            .flatMap(({ agent_id, denied, allowed }) =>
              agent_id === undefined || denied === 0 ? [] : [{ agent_id, denied, allowed }],
            )
            .sort((one, other) => other.denied - one.denied)
            .slice(0, 6)
          return rows.length === 0 ? (
            <Empty title="No denials.">Agents appear here with their number of denials.</Empty>
          ) : (
            <Table
              label="Agents by denials"
              columns={columns}
              rows={rows}
              keyOf={({ agent_id }) => agent_id}
            />
          )
        }}
      </Shown>
      {stopping !== undefined && (
        <StopAgent
          agent_id={stopping}
          name={nameOfAgent(stopping)}
          close={() => stop(undefined)}
          done={stats.reload}
        />
      )}
    </Card>
  )
}

/** A denial, at its own address. */
export function DenialPage({ id }: { readonly id: string }) {
  const one = useLoad('getDenial', { id }, { live: false })
  return (
    <Shown of={one}>
      {(denial) => (
        <ScreenFrame
          title={`${denial.action} ${denial.resource}`}
          lead={
            <span class="lead-line">
              <OutcomeMark name="denied" />
              <AgentLink agent_id={denial.agent_id} />
              <When at={denial.created_at} />
            </span>
          }
        >
          <Card title="Why it was denied" kind="columns">
            <ul class="advice">
              {denial.reasons.map((reason) => (
                <li key={reason}>
                  <span class="strong">{reasonWords(reason)}</span>
                  <p>{denialAdvice(reason)}</p>
                </li>
              ))}
            </ul>
            <FactList
              of={[
                ['Amount', usd(denial.spend_usd)],
                [
                  'Workflow',
                  <a key="workflow" href={idPlace(denial.provenance_ref)}>
                    Open workflow
                  </a>,
                ],
                [
                  'Token',
                  <a key="token" href={idPlace(denial.vat_jti)}>
                    Open token
                  </a>,
                ],
                ['Denial', <Id key="denial" id={denial.denial_id} />],
                ['Log entry', numberText(denial.log_index)],
              ]}
            />
          </Card>
        </ScreenFrame>
      )}
    </Shown>
  )
}
