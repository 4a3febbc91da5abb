import { useState } from 'preact/hooks'
import type { Anchor, RankedAgent } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Empty, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { navigate } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { nameOfSubject } from '../../words/agent-names.ts'
import { agentWord, personWord, trustPlace } from '../../words/ids.ts'
import { score } from '../../words/money.ts'
import { VouchDialog } from './vouch-dialogs.tsx'
import { VouchTable } from './vouch-table.tsx'

export function TrustScreen() {
  const [isVouching, vouch] = useState(false)
  const vouches = usePages('listVouches', { limit: 20, standing: 'true' })
  return (
    <ScreenFrame
      title="Trust graph"
      lead="Who vouches for whom, and how much trust from verified people reaches each agent."
      aside={
        can('vouch') && (
          <button type="button" onClick={() => vouch(true)}>
            Vouch…
          </button>
        )
      }
    >
      <SubjectForm />
      <div class="pair">
        <Ranking />
        {can('listAnchors') && <Anchors />}
      </div>
      <Card title="Newest vouches" kind="flush">
        <Shown of={vouches}>
          {(data) =>
            data.length === 0 ? (
              <Empty title="No vouches yet.">
                People vouch for other people and for agents. Only vouches that lead back to a verified person
                add to a score.
              </Empty>
            ) : (
              <VouchTable vouches={data} reload={vouches.reload} />
            )
          }
        </Shown>
        <MoreButton of={vouches} />
      </Card>
      {isVouching && <VouchDialog close={() => vouch(false)} done={vouches.reload} />}
    </ScreenFrame>
  )
}

/** Opens the graph around any person or agent. */
function SubjectForm() {
  const [text, setText] = useState('')
  const open = (event: Event) => {
    event.preventDefault()
    const wanted = text.trim()
    if (wanted === '') return
    navigate(trustPlace(/^(?:agent|sha256):/.test(wanted) ? wanted : `agent:${wanted}`))
  }
  return (
    <form class="filters" onSubmit={open}>
      <input
        type="search"
        data-filter
        aria-label="Agent or ID of a person"
        placeholder="Agent or ID of a person"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit">Show its graph</button>
    </form>
  )
}

const RANK_COLUMNS: readonly ListColumn<RankedAgent>[] = [
  {
    name: 'Agent',
    cell: ({ agent_id }) => (
      <a class="agent" href={trustPlace(agent_id)} title={agentWord(agent_id)}>
        {nameOfSubject(agent_id)}
      </a>
    ),
  },
  { name: 'Score', number: true, cell: (agent) => score(agent.score) },
  { name: 'Flow', number: true, cell: ({ flow }) => score(flow) },
]

function Ranking() {
  const ranking = useLoad('rankByVouches', { limit: 20 })
  return (
    <Card title="Agents by score" kind="flush">
      <Shown of={ranking}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No agent has a score.">Agents appear when a person vouches for them.</Empty>
          ) : (
            <Table
              label="Agents by score"
              columns={RANK_COLUMNS}
              rows={data}
              keyOf={({ agent_id }) => agent_id}
            />
          )
        }
      </Shown>
    </Card>
  )
}

const ANCHOR_COLUMNS: readonly ListColumn<Anchor>[] = [
  {
    name: 'Person',
    cell: ({ human_ref }) => (
      <a class="agent one-line" href={trustPlace(human_ref)}>
        {personWord(human_ref)}
      </a>
    ),
  },
  { name: 'Base value', number: true, cell: ({ base }) => score(base) },
  { name: 'Reason', cell: ({ reason }) => reason ?? <span class="dim">erased</span> },
  { name: 'Named', wide: true, cell: ({ named_at }) => <When at={named_at} /> },
]

function Anchors() {
  const anchors = usePages('listAnchors', { limit: 20 })
  return (
    <Card title="Anchors named by operators" kind="flush">
      <Shown of={anchors}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="No anchor is named.">
              Scores start at anchors. Everyone verified at L2 or L3 is one, and operators can name others on
              the graph of a person.
            </Empty>
          ) : (
            <Table
              label="Anchors"
              columns={ANCHOR_COLUMNS}
              rows={data}
              keyOf={({ human_ref }) => human_ref}
            />
          )
        }
      </Shown>
      <MoreButton of={anchors} />
    </Card>
  )
}
