import { useState } from 'preact/hooks'
import type { Agent, Reputation } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Empty, OutcomeMark, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { StopAgent } from '../../parts/stop-dialogs.tsx'
import { doAndTell } from '../../parts/toast.tsx'
import { Line } from '../../pictures/charts.tsx'
import { HeatMapView } from '../../pictures/heat-map-view.tsx'
import { PictureFrame, useWidth } from '../../pictures/picture.tsx'
import { ratingDots, ratingWords } from '../../pictures/rating-dots.ts'
import { can } from '../../shell/session.ts'
import { shortName } from '../../words/agent-names.ts'
import { agentWord } from '../../words/ids.ts'
import { counted, numberText, score } from '../../words/money.ts'
import { RecordTable } from '../actions/record-table.tsx'
import { DenialTable } from '../denials/denial-table.tsx'
import { TokenTable } from '../tokens/token-table.tsx'

const DAY_MS = 86_400_000

export function AgentScreen({ id }: { readonly id: string }) {
  const one = useLoad('getAgent', { agent_id: id })
  return (
    <Shown of={one} screen="Agent">
      {(agent) => <AgentPage agent={agent} reload={one.reload} />}
    </Shown>
  )
}

function AgentPage({ agent, reload }: { readonly agent: Agent; readonly reload: () => void }) {
  const { agent_id, display_name, suspended } = agent
  const name = display_name ?? agentWord(agent_id)
  const [isStopping, stop] = useState(false)
  const resume = () =>
    doAndTell(async () => {
      await callService('resumeAgent', { agent_id })
      reload()
      return `${name} is active again.`
    })
  return (
    <ScreenFrame
      title={name}
      lead={
        <span class="lead-line">
          <OutcomeMark name={suspended ? 'suspended' : 'active'} />
          <span>{agentWord(agent_id)}</span>
          {agent.model !== undefined && <span>{agent.model}</span>}
          <span>
            {agent.last_action_at === undefined ? (
              'no action yet'
            ) : (
              <>
                last action <When at={agent.last_action_at} />
              </>
            )}
          </span>
        </span>
      }
      aside={
        <>
          {suspended && can('resumeAgent') && (
            <button type="button" onClick={resume}>
              Resume
            </button>
          )}
          {can('suspendAgent') && (
            <button type="button" class="danger" onClick={() => stop(true)}>
              Stop {shortName(name)}…
            </button>
          )}
        </>
      }
    >
      {agent.suspend_reason !== undefined && suspended && (
        <p class="notice">
          Suspended <When at={agent.suspended_at} /> by the {agent.suspended_by}: {agent.suspend_reason}
        </p>
      )}
      <div class="pair">
        <ReputationPicture agent_id={agent_id} />
        <UsePicture agent_id={agent_id} />
      </div>
      <TokensHeld agent_id={agent_id} />
      <div class="pair">
        <LatestActions agent_id={agent_id} />
        <LatestDenials agent_id={agent_id} />
      </div>
      {isStopping && <StopAgent agent_id={agent_id} name={name} close={() => stop(false)} done={reload} />}
    </ScreenFrame>
  )
}

/** How well the agent did, with the interval that follows from the number of actions. */
function ReputationPicture({ agent_id }: { readonly agent_id: string }) {
  const now = useLoad('getReputation', { agent_id })
  const history = useLoad('getReputationHistory', { agent_id })
  return (
    <Shown of={now}>
      {(reputation) => {
        const days = history.data?.data ?? []
        const points = days.map(({ day, combined_reputation, combined_interval }) => ({
          x: Date.parse(day),
          y: combined_reputation,
          interval: combined_interval,
        }))
        const rated = ratingWords(reputation.ratings)
        const marks = ratingDots(days)
        return (
          <PictureFrame
            name="reputation"
            title="Reputation"
            summary={reputationWords(reputation)}
            twin={{
              columns: ['Day', 'Reputation', 'Interval', 'Actions', 'Good', 'Problem', 'Bad'],
              rows: days.map((row) => [
                row.day,
                score(row.combined_reputation),
                `${score(row.combined_interval.low)}–${score(row.combined_interval.high)}`,
                numberText(row.total_actions),
                numberText(row.ratings.approved),
                numberText(row.ratings.flagged),
                numberText(row.ratings.rejected),
              ]),
            }}
          >
            <p class="big">
              {reputation.total_actions === 0 ? 'No record yet' : score(reputation.combined_reputation)}
              <span class="dim"> {reputation.total_actions > 0 && intervalWords(reputation)}</span>
            </p>
            <Intervals of={reputation} />
            {points.length > 0 && (
              <Line
                label={`Reputation by day with its interval${rated === '' ? '' : `, and ratings: ${rated}`}`}
                marks={marks}
                points={points}
                step_ms={DAY_MS}
                show={(value) => value.toFixed(1)}
                y_max={1}
                hasDots
                height={132}
              />
            )}
          </PictureFrame>
        )
      }}
    </Shown>
  )
}

function reputationWords(reputation: Reputation): string {
  if (reputation.total_actions === 0) return 'No record yet.'
  return `Reputation ${score(reputation.combined_reputation)}, ${intervalWords(reputation)}.`
}

function intervalWords({ total_actions, ratings }: Reputation): string {
  const rated = ratings.approved + ratings.flagged + ratings.rejected
  return `from ${counted(total_actions, 'action')}, ${counted(rated, 'rating')}`
}

/** Both parts of the score on a scale from 0 to 1, each with its 95 % interval. */
function Intervals({ of }: { readonly of: Reputation }) {
  const { completed_actions, ratings } = of
  const rated = ratings.approved + ratings.flagged + ratings.rejected
  const parts = [
    ['Execution', of.execution_score, of.execution_interval, completed_actions],
    ['Ratings', of.feedback_score, of.feedback_interval, rated],
  ] as const
  const { ref, width } = useWidth()
  const [left, right] = [84, 108]
  const x = (value: number) => left + value * (width - left - right)
  return (
    <div ref={ref} class="intervals">
      {width > 0 && (
        <svg width={width} height="56" role="img" aria-label="Scores with their intervals">
          {parts.map(([word, value, { low, high }, basis], row) => {
            const y = 14 + row * 26
            return (
              <g key={word}>
                <text x="0" y={y + 4} class="node-note">
                  {word}
                </text>
                <rect x={x(0)} y={y - 2} width={x(1) - x(0)} height="4" rx="2" class="gauge-rest" />
                {basis > 0 && (
                  <>
                    <rect x={x(low)} y={y - 4} width={x(high) - x(low)} height="8" rx="4" class="band" />
                    <circle cx={x(value)} cy={y} r="5" class="dot" />
                  </>
                )}
                <text x={width} y={y + 4} class="node-note" text-anchor="end">
                  {basis === 0 ? 'none yet' : `${score(value)} (${score(low)}–${score(high)})`}
                </text>
              </g>
            )
          })}
        </svg>
      )}
    </div>
  )
}

function UsePicture({ agent_id }: { readonly agent_id: string }) {
  const stats = useLoad('getStats', {
    agent_id,
    bucket: 'all',
    from: new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS - 29 * DAY_MS).toISOString(),
    group_by: 'action,resource',
    limit: 60,
  })
  return (
    <Shown of={stats}>
      {({ data }) => {
        const uses = data.flatMap(({ action, resource, allowed, denied }) =>
          action === undefined || resource === undefined
            ? []
            : [{ action, resource, count: allowed, denied }],
        )
        return (
          <PictureFrame
            name="uses"
            title="What it does, last 30 days"
            summary={`${counted(uses.length, 'pair')} of action and resource.`}
            twin={{
              columns: ['Action and resource', 'Allowed', 'Denied'],
              rows: uses.map((use) => [
                `${use.action} ${use.resource}`,
                numberText(use.count),
                numberText(use.denied),
              ]),
            }}
          >
            {uses.length === 0 ? (
              <Empty title="No actions yet.">Cells appear when the agent acts or is denied.</Empty>
            ) : (
              <HeatMapView uses={uses} label="Actions by resource" />
            )}
          </PictureFrame>
        )
      }}
    </Shown>
  )
}

function TokensHeld({ agent_id }: { readonly agent_id: string }) {
  const list = useLoad('listTokens', { agent_id, limit: 10 })
  return (
    <Card
      title="Tokens held"
      kind="flush"
      aside={<a href={`/app/tokens?agent_id=${encodeURIComponent(agentWord(agent_id))}`}>All tokens</a>}
    >
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No tokens.">The agent gets one when a person or another agent lets it act.</Empty>
          ) : (
            <TokenTable tokens={data} withAgent={false} />
          )
        }
      </Shown>
    </Card>
  )
}

function LatestActions({ agent_id }: { readonly agent_id: string }) {
  const list = useLoad('listRecords', { agent_id, limit: 8 })
  return (
    <Card title="Latest actions" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No actions yet.">They appear when the agent records or authorizes one.</Empty>
          ) : (
            <RecordTable records={data} withAgent={false} />
          )
        }
      </Shown>
    </Card>
  )
}

function LatestDenials({ agent_id }: { readonly agent_id: string }) {
  const list = useLoad('listDenials', { agent_id, limit: 8 })
  return (
    <Card
      title="Latest denials"
      kind="flush"
      aside={<a href={`/app/denials?agent_id=${encodeURIComponent(agentWord(agent_id))}`}>All denials</a>}
    >
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="Never denied.">
              Denials appear when the agent asks for something outside its token.
            </Empty>
          ) : (
            <DenialTable denials={data} withAgent={false} />
          )
        }
      </Shown>
    </Card>
  )
}
