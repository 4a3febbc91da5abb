import { useState } from 'preact/hooks'
import type { Approval, GetHumanAnswer } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad } from '../../api/load.ts'
import { AgentLink, Card, Empty, FactList, Id, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { can } from '../../shell/session.ts'
import { idPlace, personWord, trustPlace } from '../../words/ids.ts'
import { numberText, usd } from '../../words/money.ts'
import { SessionTable } from '../access/session-table.tsx'
import { TokenTable } from '../tokens/token-table.tsx'
import { ErasePerson, RefusePerson, StopPerson } from './person-dialogs.tsx'
import { PersonState } from './person-state.tsx'

export function PersonScreen({ id }: { readonly id: string }) {
  const one = useLoad('getHuman', { human_ref: id })
  return (
    <Shown of={one} screen="Person">
      {(person) => <PersonPage person={person} reload={one.reload} />}
    </Shown>
  )
}

function PersonPage({ person, reload }: { readonly person: GetHumanAnswer; readonly reload: () => void }) {
  const { human_ref } = person
  return (
    <ScreenFrame
      title={personWord(human_ref)}
      lead={
        <span class="lead-line">
          <PersonState of={person} />
          <span>
            first seen <When at={person.first_seen_at} />
          </span>
          <Id id={human_ref} />
          {can('getTrustGraph') && (
            <a class="plain-link" href={trustPlace(human_ref)}>
              Trust graph
            </a>
          )}
        </span>
      }
      aside={<PersonDeeds person={person} reload={reload} />}
    >
      <div class="pair">
        <Card title="At a glance">
          <FactList
            of={[
              ['Level', person.assurance_levels.join(', ') || 'none'],
              ['Live tokens', `${numberText(person.live_tokens)} of ${numberText(person.tokens)}`],
              ['Workflows', numberText(person.workflows)],
              ...(person.refused_at === undefined
                ? []
                : [['Refuses tokens', <When key="refused" at={person.refused_at} />] as const]),
              ...(person.erased_at === undefined
                ? []
                : [['Erased', <When key="erased" at={person.erased_at} />] as const]),
            ]}
          />
        </Card>
        <Waiting human_ref={human_ref} />
      </div>
      <PersonTokens human_ref={human_ref} />
      {can('listSignIns') && <PersonSessions human_ref={human_ref} />}
    </ScreenFrame>
  )
}

function PersonDeeds({ person, reload }: { readonly person: GetHumanAnswer; readonly reload: () => void }) {
  const [dialog, open] = useState<'stop' | 'refuse' | 'erase'>()
  const { human_ref } = person
  const isRefused = person.refused_at !== undefined
  const isErased = person.erased_at !== undefined
  const deed = { human_ref, close: () => open(undefined), done: reload }
  return (
    <>
      {can('exportHuman') && !isErased && (
        <a class="button" download href={`/v1/vat/humans/${encodeURIComponent(human_ref)}/export`}>
          Export
        </a>
      )}
      {can(isRefused ? 'acceptTokens' : 'refuseTokens') && !isErased && (
        <button type="button" onClick={() => open('refuse')}>
          {isRefused ? 'Accept tokens again…' : 'Refuse new tokens…'}
        </button>
      )}
      {can('eraseHuman') && !isErased && (
        <button type="button" class="danger" onClick={() => open('erase')}>
          Erase…
        </button>
      )}
      {can('revokeHuman') && !isErased && (
        <button type="button" class="filled danger" onClick={() => open('stop')}>
          Stop everything…
        </button>
      )}
      {dialog === 'stop' && <StopPerson {...deed} />}
      {dialog === 'refuse' && <RefusePerson {...deed} isRefused={isRefused} />}
      {dialog === 'erase' && <ErasePerson {...deed} />}
    </>
  )
}

const WAITING_COLUMNS: readonly ListColumn<Approval>[] = [
  {
    name: 'Asks to',
    cell: ({ approval_id, action, resource }) => (
      <a class="clip" href={idPlace(approval_id)}>
        {action} on {resource}
      </a>
    ),
  },
  { name: 'Agent', cell: ({ agent_id }) => <AgentLink agent_id={agent_id} /> },
  { name: 'Spend', number: true, wide: true, cell: ({ spend_usd }) => usd(spend_usd ?? 0) },
  { name: 'Until', cell: ({ expires_at }) => <When at={expires_at} /> },
]

function Waiting({ human_ref }: { readonly human_ref: string }) {
  const list = useLoad('listApprovals', { human_ref, state: 'pending', sort: 'expires_first', limit: 20 })
  return (
    <Card title="Waiting for this person" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No pending requests.">Requests appear when an agent needs an approval.</Empty>
          ) : (
            <Table
              label="Pending requests"
              columns={WAITING_COLUMNS}
              rows={data}
              keyOf={({ approval_id }) => approval_id}
            />
          )
        }
      </Shown>
    </Card>
  )
}

function PersonTokens({ human_ref }: { readonly human_ref: string }) {
  const list = usePages('listTokens', { human_ref, limit: 20 })
  return (
    <Card title="Tokens in their name" kind="flush">
      <Shown of={list}>
        {(tokens) =>
          tokens.length === 0 ? (
            <Empty title="No tokens.">
              They appear when a program gets a token in the name of the person.
            </Empty>
          ) : (
            <TokenTable tokens={tokens} />
          )
        }
      </Shown>
      <MoreButton of={list} />
    </Card>
  )
}

function PersonSessions({ human_ref }: { readonly human_ref: string }) {
  const list = useLoad('listSignIns', { human_ref })
  return (
    <Card title="Sessions" kind="flush">
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No open session.">A session begins when the person signs in.</Empty>
          ) : (
            <SessionTable sessions={data} reload={list.reload} />
          )
        }
      </Shown>
    </Card>
  )
}
