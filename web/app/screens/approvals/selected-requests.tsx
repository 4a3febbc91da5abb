import { useState } from 'preact/hooks'
import type { ListedApproval } from '../../../../sdk/node/src/generated/operations.ts'
import type { ServiceAnswer } from '../../api/ask-once.ts'
import { callService, OWN_PAGE } from '../../api/client.ts'
import { FactList, OutcomeMark } from '../../parts/basics.tsx'
import { Confirm, Dialog, KEEP_OPEN } from '../../parts/dialog.tsx'
import { nameOfAgent } from '../../words/agent-names.ts'
import { shortId } from '../../words/ids.ts'
import { counted, usd } from '../../words/money.ts'
import { askedDeed } from './approval-card.tsx'
import { budgetsAfter, mayApproveTogether, totalSpend } from './selection.ts'

type Decision = 'approved' | 'denied'
type DecidedItems = ServiceAnswer<'decideApprovals'>['items']

interface Deciding {
  readonly decision: Decision
  /** As they were when the dialog opened, so that nothing is added to what the person confirms. */
  readonly requests: readonly ListedApproval[]
}

/** What is selected, and what can be done with all of it. */
export function SelectedRequests({
  requests,
  clear,
  reload,
}: {
  readonly requests: readonly ListedApproval[]
  readonly clear: () => void
  readonly reload: () => void
}) {
  const [deciding, decide] = useState<Deciding>()
  const count = requests.length
  const isTogether = mayApproveTogether(requests)
  const begin = (decision: Decision) => () => decide({ decision, requests })
  return (
    <>
      {count > 0 && (
        <section class="card selected-bar" aria-label="Selected requests">
          <span role="status">
            {count} selected, {usd(totalSpend(requests))} in total
            {!isTogether && '. You can approve several requests only if one agent asks for one action.'}
          </span>
          <div class="buttons">
            <button type="button" disabled={!isTogether} onClick={begin('approved')}>
              Approve {count}…
            </button>
            <button type="button" onClick={begin('denied')}>
              Deny {count}…
            </button>
            <button type="button" class="quiet" onClick={clear}>
              Clear selection
            </button>
          </div>
        </section>
      )}
      {deciding !== undefined && (
        <DecideSelected
          {...deciding}
          close={() => decide(undefined)}
          done={() => {
            clear()
            reload()
          }}
        />
      )}
    </>
  )
}

function DecideSelected({
  decision,
  requests,
  close,
  done,
}: Deciding & { readonly close: () => void; readonly done: () => void }) {
  const [items, setItems] = useState<DecidedItems>()
  if (items !== undefined) return <Results requests={requests} items={items} close={close} />
  const isYes = decision === 'approved'
  const count = counted(requests.length, 'request')
  const run = async (note: string | undefined) => {
    const answer = await callService('decideApprovals', {
      items: requests.map(({ approval_id }) => ({
        approval_id,
        decision,
        ...(note !== undefined && { note }),
      })),
    })
    setItems(answer.items)
    done()
    return KEEP_OPEN
  }
  return (
    <Confirm
      title={`${isYes ? 'Approve' : 'Deny'} ${count}?`}
      verb={isYes ? `Approve ${usd(totalSpend(requests))}` : `Deny ${count}`}
      isDangerous={!isYes}
      noteFirst
      passkeyAt={OWN_PAGE}
      noteLabel={isYes ? 'Note (optional)' : 'Reason (optional). The agents get it.'}
      run={run}
      close={close}
    >
      <ul class="request-list">
        {requests.map((request) => (
          <li key={request.approval_id}>{requestWords(request)}</li>
        ))}
      </ul>
      <FactList of={[['In total', usd(totalSpend(requests))], ...(isYes ? leftFacts(requests) : [])]} />
    </Confirm>
  )
}

function requestWords(request: ListedApproval): string {
  return `${nameOfAgent(request.agent_id, request.agent?.display_name)}: ${askedDeed(request)}`
}

function leftFacts(requests: readonly ListedApproval[]): [string, string][] {
  const budgets = budgetsAfter(requests)
  if (budgets.length === 0) return [['Left after this', 'no spending limit']]
  return budgets.map(({ jti, remaining_usd, after_usd }) => [
    budgets.length === 1 ? 'Left after this' : `Left of ${shortId(jti)}`,
    after_usd < 0
      ? `${usd(remaining_usd)} now: not enough for all. What exceeds it is denied when the agent acts.`
      : `${usd(after_usd)} of ${usd(remaining_usd)}`,
  ])
}

/** How each request was decided. */
function Results({
  requests,
  items,
  close,
}: {
  readonly requests: readonly ListedApproval[]
  readonly items: DecidedItems
  readonly close: () => void
}) {
  return (
    <Dialog title="Decisions" close={close}>
      <ul class="request-list">
        {requests.map((request, index) => (
          <li key={request.approval_id}>
            <Result of={items[index]} /> {requestWords(request)}
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" onClick={close}>
          Close
        </button>
      </div>
    </Dialog>
  )
}

function Result({ of: item }: { readonly of: DecidedItems[number] | undefined }) {
  if (item?.answer === undefined)
    return <span class="no">Not decided: {String(item?.problem?.detail ?? 'no reason given')}</span>
  const { state } = item.answer
  return state === 'pending' ? <span>Counted. Others must approve too.</span> : <OutcomeMark name={state} />
}
