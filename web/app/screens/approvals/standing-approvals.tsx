/** What agents may do without asking: habits and grants with their limits. Each of them can be ended. */
import { useState } from 'preact/hooks'
import type { Grant, Habit } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { AgentLink, Card, Empty, Id, Shown, When } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { tell } from '../../parts/toast.tsx'
import { can } from '../../shell/session.ts'
import { nameOfAgent } from '../../words/agent-names.ts'
import { numberText, usd } from '../../words/money.ts'

type Standing = Pick<Habit, 'agent_id' | 'human_ref' | 'action' | 'resource'>

export function StandingApprovals() {
  return (
    <>
      <Habits />
      <Grants />
    </>
  )
}

const SHARED_COLUMNS: readonly ListColumn<Standing>[] = [
  { name: 'Agent', cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
  { name: 'May', cell: ({ action, resource }) => `${action} ${resource}` },
  { name: 'For', cell: ({ human_ref }) => <Id id={human_ref} />, extra: true },
]

function Habits() {
  const list = useLoad('listHabits', {})
  const [ending, end] = useState<Habit>()
  const columns: readonly ListColumn<Habit>[] = [
    ...SHARED_COLUMNS,
    { name: 'Up to', cell: ({ covers_usd }) => usd(covers_usd), number: true },
    { name: 'By a person', cell: ({ approvals }) => numberText(approvals), number: true, wide: true },
    { name: 'Automatic', cell: ({ auto_approvals }) => numberText(auto_approvals), number: true },
    { name: 'Last by a person', cell: ({ last_human_at }) => <When at={last_human_at} />, wide: true },
    ...endColumn<Habit>(can('endHabit'), end),
  ]
  return (
    <Card title="Habits" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No habits.">
              With <code>auto_approve_after</code>, requests that a person approved several times in a row are
              approved automatically.
            </Empty>
          ) : (
            <Table
              label="Habits"
              columns={columns}
              rows={data}
              keyOf={({ root_jti, agent_id, action, resource }) =>
                JSON.stringify([root_jti, agent_id, action, resource])
              }
            />
          )
        }
      </Shown>
      {ending !== undefined && (
        <EndStanding
          of={ending}
          also=" Grants for the same action and resource end too."
          run={({ agent_id, human_ref, action, resource }) =>
            callService('endHabit', { agent_id, human_ref, action, resource })
          }
          close={() => end(undefined)}
          done={list.reload}
        />
      )}
    </Card>
  )
}

function Grants() {
  const list = useLoad('listGrants', {})
  const [ending, end] = useState<Grant>()
  const columns: readonly ListColumn<Grant>[] = [
    ...SHARED_COLUMNS,
    {
      name: 'Used',
      cell: ({ spent_usd, max_spend_usd }) => `${usd(spent_usd)} of ${usd(max_spend_usd)}`,
      number: true,
    },
    { name: 'Automatic', cell: ({ uses }) => numberText(uses), number: true, wide: true },
    { name: 'Ends', cell: ({ expires_at }) => <When at={expires_at} /> },
    ...endColumn<Grant>(can('endGrant'), end),
  ]
  return (
    <Card title="Grants" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No grants.">A grant approves similar requests for a limited time and amount.</Empty>
          ) : (
            <Table label="Grants" columns={columns} rows={data} keyOf={({ approval_id }) => approval_id} />
          )
        }
      </Shown>
      {ending !== undefined && (
        <EndStanding
          of={ending}
          run={({ approval_id }) => callService('endGrant', { approval_id })}
          close={() => end(undefined)}
          done={list.reload}
        />
      )}
    </Card>
  )
}

function endColumn<Row extends Standing>(isAllowed: boolean, end: (row: Row) => void): ListColumn<Row>[] {
  if (!isAllowed) return []
  const cell = (row: Row) => (
    <button type="button" class="small danger" onClick={() => end(row)}>
      End…
    </button>
  )
  return [{ name: 'Actions', cell }]
}

function EndStanding<Row extends Standing>({
  of: row,
  also = '',
  run,
  close,
  done,
}: {
  readonly of: Row
  readonly also?: string
  readonly run: (row: Row) => Promise<unknown>
  readonly close: () => void
  readonly done: () => void
}) {
  const name = nameOfAgent(row.agent_id)
  const end = async () => {
    await run(row)
    tell(`${name} asks again.`)
    done()
  }
  return (
    <Confirm
      title={`Ask again before ${name} may ${row.action}?`}
      verb="Ask again"
      isDangerous
      run={end}
      close={close}
    >
      <p>
        The next request to {row.action} {row.resource} needs a person's approval.{also}
      </p>
    </Confirm>
  )
}
