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
  const [selected, select] = useState<ReadonlySet<string>>(new Set())
  const selectionOf = (id: string) =>
    state === 'pending' && can('decideApprovals')
      ? { isSelected: selected.has(id), toggle: () => select((before) => toggled(before, id)) }
      : undefined
  const list = usePages('listApprovals', {
    state,
    expand: 'token,agent',
    limit: PAGE,
    ...(state === 'pending' && { sort: 'expires_first' }),
  })
  return (
    <>
      <Shown of={list}>
        {(data) =>
          data.length === 0 ? (
            <Empty title={EMPTY[state]}>
              Questions appear when a token has <code>require_approval</code> and its agent wants to do what
              needs one.
            </Empty>
          ) : (
            <div class="cards">
              {data.map((approval) => (
                <ApprovalCard
                  key={approval.approval_id}
                  approval={approval}
                  reload={list.reload}
                  selection={selectionOf(approval.approval_id)}
                />
              ))}
            </div>
          )
        }
      </Shown>
      <MoreButton of={list} />
      <SelectedQuestions
        questions={(list.data ?? []).filter(
          (one) => one.state === 'pending' && selected.has(one.approval_id),
        )}
        clear={() => select(new Set())}
        reload={list.reload}
      />
    </>
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
