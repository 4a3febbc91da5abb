import { useState } from 'preact/hooks'
import type { ListedApproval } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad, useRead } from '../../api/load.ts'
import { Choices, Empty, ScreenFrame, Shown } from '../../parts/basics.tsx'
import { lazyScreen } from '../../parts/lazy.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { ApprovalCard } from './approval-card.tsx'
import { SelectedRequests } from './selected-requests.tsx'
import { toggled } from './selection.ts'

const STATES = ['pending', 'approved', 'denied', 'expired'] as const
type ApprovalState = (typeof STATES)[number]

const EMPTY: Readonly<Record<ApprovalState, readonly [title: string, words: string]>> = {
  pending: ['No pending requests.', 'An agent asks a person when its token requires an approval.'],
  approved: ['No approved requests.', 'Requests appear here when a person approves them.'],
  denied: ['No denied requests.', 'Requests appear here when a person denies them.'],
  expired: ['No expired requests.', 'Requests appear here when nobody answers them in time.'],
}

const LEADS: Readonly<Record<ApprovalState, string>> = {
  pending: 'Requests waiting for a person, soonest to expire first.',
  approved: 'Approved requests, newest first.',
  denied: 'Denied requests, newest first.',
  expired: 'Requests that expired without a decision, newest first.',
}

/** Cards are tall, so more of them are shown only on request. */
const PAGE = 25
const MOST_WAITING = 200

/** The tab next to the requests, for what needs no decision. */
const STANDING = 'standing'

const StandingScreen = lazyScreen(async () => (await import('./standing-approvals.tsx')).StandingApprovals)

export function Approvals() {
  const wanted = shownAddress.value.query.get('state')
  const isStanding = wanted === STANDING && can('listHabits')
  const state = STATES.find((one) => one === wanted) ?? 'pending'
  return (
    <ScreenFrame
      title="Approvals"
      lead={isStanding ? 'Habits and grants: requests that are approved automatically.' : LEADS[state]}
      aside={
        <Choices
          label="State"
          of={[
            ...STATES.map((one) => [one, STATE_WORDS[one]] as const),
            ...(can('listHabits') ? [[STANDING, 'Automatic'] as const] : []),
          ]}
          chosen={isStanding ? STANDING : state}
          choose={(value) => setQuery({ state: value === 'pending' ? undefined : value })}
        />
      }
    >
      {isStanding ? <StandingScreen id="" /> : <Requests state={state} />}
    </ScreenFrame>
  )
}

const STATE_WORDS: Readonly<Record<ApprovalState, string>> = {
  pending: 'Pending',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
}

function Requests({ state }: { readonly state: ApprovalState }) {
  return state === 'pending' ? <WaitingRequests /> : <AnsweredRequests state={state} />
}

/** In the order of their deadlines. The service sorts all of them at once, so this list has no pages. */
function WaitingRequests() {
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const [shown, show] = useState(PAGE)
  const list = useLoad('listApprovals', {
    state: 'pending',
    expand: 'token,agent',
    limit: MOST_WAITING,
    sort: 'expires_first',
  })
  const all = list.data?.data ?? []
  const selectionOf = (id: string) =>
    can('decideApprovals')
      ? { isSelected: selected.has(id), toggle: () => select((before) => toggled(before, id)) }
      : undefined
  const more = async () => show(shown + PAGE)
  return (
    <>
      <Shown of={list}>
        {({ data }) => (
          <RequestCards
            state="pending"
            requests={data.slice(0, shown)}
            reload={list.reload}
            selectionOf={selectionOf}
          />
        )}
      </Shown>
      <MoreButton of={{ more: all.length > shown ? more : undefined }} />
      {list.data?.has_more === true && shown >= all.length && (
        <p class="dim">More requests expire later. They appear here as these are decided.</p>
      )}
      <SelectedRequests
        requests={all.filter((one) => one.state === 'pending' && selected.has(one.approval_id))}
        clear={() => select(new Set())}
        reload={list.reload}
      />
    </>
  )
}

function AnsweredRequests({ state }: { readonly state: ApprovalState }) {
  const list = usePages('listApprovals', { state, expand: 'token,agent', limit: PAGE })
  return (
    <>
      <Shown of={list}>{(data) => <RequestCards state={state} requests={data} reload={list.reload} />}</Shown>
      <MoreButton of={list} />
    </>
  )
}

type CardProps = Parameters<typeof ApprovalCard>[0]

function RequestCards({
  state,
  requests,
  reload,
  selectionOf = () => undefined,
}: {
  readonly state: ApprovalState
  readonly requests: readonly CardProps['approval'][]
  readonly reload: () => void
  readonly selectionOf?: (id: string) => CardProps['selection']
}) {
  if (requests.length === 0) {
    const [title, words] = EMPTY[state]
    return (
      <Empty title={title}>
        {words} <a href="/guides/delegate-limit-revoke#require-an-approval">How to require an approval</a>
      </Empty>
    )
  }
  return (
    <div class="cards">
      {requests.map((approval) => (
        <ApprovalCard
          key={approval.approval_id}
          approval={approval}
          reload={reload}
          selection={selectionOf(approval.approval_id)}
        />
      ))}
    </div>
  )
}

/** A request with its token and agent, which only lists include: the decision depends on them here too. */
async function requestWithFacts(id: string, ending: AbortSignal): Promise<ListedApproval> {
  const approval = await callService('getApproval', { id }, ending)
  if (!can('listApprovals')) return approval
  const { agent_id, created_at } = approval
  const to = new Date(Date.parse(created_at) + 1).toISOString()
  const of = { agent_id, from: created_at, to, expand: 'token,agent', limit: MOST_WAITING }
  const { data } = await callService('listApprovals', of, ending)
  return { ...data.find(({ approval_id }) => approval_id === id), ...approval }
}

/** One request, at its own address. */
export function ApprovalPage({ id }: { readonly id: string }) {
  const one = useRead(id, (ending) => requestWithFacts(id, ending))
  return (
    <ScreenFrame title="Approval request">
      <Shown of={one}>{(approval) => <ApprovalCard approval={approval} reload={one.reload} />}</Shown>
    </ScreenFrame>
  )
}
