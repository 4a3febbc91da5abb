import { useState } from 'preact/hooks'
import { useLoad } from '../../api/load.ts'
import { Choices, Empty, ScreenFrame, Shown } from '../../parts/basics.tsx'
import { lazyScreen } from '../../parts/lazy.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { can } from '../../shell/session.ts'
import { ApprovalCard } from './approval-card.tsx'
import { SelectedQuestions } from './selected-questions.tsx'
import { toggled } from './selection.ts'

const STATES = ['pending', 'approved', 'denied', 'expired'] as const
type ApprovalState = (typeof STATES)[number]

const EMPTY: Readonly<Record<ApprovalState, string>> = {
  pending: 'Nobody waits for an answer.',
  approved: 'Nothing was approved yet.',
  denied: 'Nothing was denied yet.',
  expired: 'No question has expired.',
}

/** Cards are tall: more of them are read when somebody wants to see them. */
const PAGE = 25
const MOST_WAITING = 200

/** What agents may do without a question stands beside the questions. */
const STANDING = 'standing'

const StandingScreen = lazyScreen(async () => (await import('./standing-approvals.tsx')).StandingApprovals)

export function Approvals() {
  const wanted = shownAddress.value.query.get('state')
  const isStanding = wanted === STANDING && can('listHabits')
  const state = STATES.find((one) => one === wanted) ?? 'pending'
  return (
    <ScreenFrame
      title="Approvals"
      lead={
        isStanding
          ? 'What people approved so often, or beforehand, that agents do not ask.'
          : 'Questions of agents that a person has to answer. Those that expire first come first.'
      }
      aside={
        <Choices
          label="State"
          of={[
            ...STATES.map((one) => [one, STATE_WORDS[one]] as const),
            ...(can('listHabits') ? [[STANDING, 'Without asking'] as const] : []),
          ]}
          chosen={isStanding ? STANDING : state}
          choose={(value) => setQuery({ state: value === 'pending' ? undefined : value })}
        />
      }
    >
      {isStanding ? <StandingScreen id="" /> : <Questions state={state} />}
    </ScreenFrame>
  )
}

const STATE_WORDS: Readonly<Record<ApprovalState, string>> = {
  pending: 'Waiting',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
}

function Questions({ state }: { readonly state: ApprovalState }) {
  return state === 'pending' ? <WaitingQuestions /> : <AnsweredQuestions state={state} />
}

/** In the order of their deadlines, which the service sorts as a whole: it has no pages. */
function WaitingQuestions() {
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
          <QuestionCards
            state="pending"
            questions={data.slice(0, shown)}
            reload={list.reload}
            selectionOf={selectionOf}
          />
        )}
      </Shown>
      <MoreButton of={{ more: all.length > shown ? more : undefined }} />
      <SelectedQuestions
        questions={all.filter((one) => one.state === 'pending' && selected.has(one.approval_id))}
        clear={() => select(new Set())}
        reload={list.reload}
      />
    </>
  )
}

function AnsweredQuestions({ state }: { readonly state: ApprovalState }) {
  const list = usePages('listApprovals', { state, expand: 'token,agent', limit: PAGE })
  return (
    <>
      <Shown of={list}>
        {(data) => <QuestionCards state={state} questions={data} reload={list.reload} />}
      </Shown>
      <MoreButton of={list} />
    </>
  )
}

type CardProps = Parameters<typeof ApprovalCard>[0]

function QuestionCards({
  state,
  questions,
  reload,
  selectionOf = () => undefined,
}: {
  readonly state: ApprovalState
  readonly questions: readonly CardProps['approval'][]
  readonly reload: () => void
  readonly selectionOf?: (id: string) => CardProps['selection']
}) {
  if (questions.length === 0)
    return (
      <Empty title={EMPTY[state]}>
        Questions appear when a token has <code>require_approval</code> and its agent wants to do what needs
        one.
      </Empty>
    )
  return (
    <div class="cards">
      {questions.map((approval) => (
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

/** One question, at its own address. */
export function ApprovalPage({ id }: { readonly id: string }) {
  const one = useLoad('getApproval', { id })
  return (
    <ScreenFrame title="Question">
      <Shown of={one}>{(approval) => <ApprovalCard approval={approval} reload={one.reload} />}</Shown>
    </ScreenFrame>
  )
}
