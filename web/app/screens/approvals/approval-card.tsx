import { useState } from 'preact/hooks'
import type { ListedApproval } from '../../../../sdk/node/src/generated/operations.ts'
import { callService, type LinkedPage } from '../../api/client.ts'
import { useNow } from '../../api/load.ts'
import { AgentLink, FactList, Id, OutcomeMark, When } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { StopAgent } from '../../parts/stop-dialogs.tsx'
import { tell } from '../../parts/toast.tsx'
import { Ring } from '../../pictures/charts.tsx'
import { can } from '../../shell/session.ts'
import { nameOfAgent, shortName } from '../../words/agent-names.ts'
import { idPlace } from '../../words/ids.ts'
import { counted, score, usd } from '../../words/money.ts'
import { askedWords } from '../../words/outcome.ts'
import { localTime, relativeTime, shareLeft } from '../../words/time.ts'

type Deed = 'approve' | 'deny' | 'stop'

/** An approval request, with everything that the decision depends on. */
export function ApprovalCard({
  approval,
  reload,
  selection,
}: {
  readonly approval: ListedApproval
  readonly reload: () => void
  /** Present if several requests can be selected. */
  readonly selection?: { readonly isSelected: boolean; readonly toggle: () => void } | undefined
}) {
  const [deed, setDeed] = useState<Deed>()
  const { agent_id, agent, action, resource, spend_usd, state } = approval
  const name = nameOfAgent(agent_id, agent?.display_name)
  const isPending = state === 'pending'
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isPending || deed !== undefined || event.ctrlKey || event.metaKey) return
    if (event.key === 'a' && can('approve')) setDeed('approve')
    if (event.key === 'd' && can('deny')) setDeed('deny')
    if (event.key === 'x') selection?.toggle()
  }
  return (
    <article
      class={`card approval ${state}`}
      aria-label={`${name} asks to ${action} ${resource}`}
      onKeyDown={onKeyDown}
    >
      <header>
        {selection !== undefined && (
          <label class="pick">
            <input
              type="checkbox"
              aria-label={`Select: ${name} asks to ${askedDeed(approval)}`}
              checked={selection.isSelected}
              onChange={selection.toggle}
            />
          </label>
        )}
        <h2>
          <a href={idPlace(approval.approval_id)} data-row>
            {shortName(name)} asks to {askedDeed(approval)}
          </a>
        </h2>
        <Deadline approval={approval} />
      </header>
      <FactList of={factsOf(approval)} />
      {isPending && (
        <div class="buttons">
          {can('approve') && (
            <button type="button" class="filled" onClick={() => setDeed('approve')}>
              Approve{spend_usd > 0 ? ` ${usd(spend_usd)}` : ''}
            </button>
          )}
          {can('deny') && (
            <button type="button" onClick={() => setDeed('deny')}>
              Deny…
            </button>
          )}
          {can('suspendAgent') && (
            <button type="button" class="danger apart" onClick={() => setDeed('stop')}>
              Stop {shortName(name)}…
            </button>
          )}
        </div>
      )}
      <DecisionDialog
        approval={approval}
        name={name}
        deed={deed}
        close={() => setDeed(undefined)}
        reload={reload}
      />
    </article>
  )
}

export function askedDeed({ action, resource, spend_usd }: ListedApproval): string {
  return spend_usd > 0 ? `${action} for ${usd(spend_usd)} at ${resource}` : `${action} ${resource}`
}

function Deadline({
  approval: { state, created_at, expires_at, decided_at },
}: {
  readonly approval: ListedApproval
}) {
  const now = useNow()
  if (state !== 'pending') {
    const at = decided_at ?? expires_at
    return (
      <span class="deadline">
        <OutcomeMark name={state === 'approved' ? 'approved' : state === 'denied' ? 'denied' : 'expired'} />{' '}
        {/* A request expires before its time only with its token. */}
        {Date.parse(at) > now ? 'token revoked' : <When at={at} />}
      </span>
    )
  }
  return (
    <span class="deadline" title={`Expires at ${localTime(expires_at)}, then it is denied`}>
      <Ring share={shareLeft(created_at, expires_at, now)} label="Time left to answer" />
      <span>expires {relativeTime(expires_at, now)}</span>
    </span>
  )
}

function factsOf({
  agent_id,
  agent,
  token,
  metadata = {},
  human_ref,
  note,
  decided_by,
  approval_id,
}: ListedApproval) {
  const given = Object.entries(metadata).map(([name, value]) => [label(name), plain(value)] as const)
  const after = token?.remaining_after_usd
  const facts: (readonly [string, preact.ComponentChildren])[] = [
    ['Agent', <AgentLink key="agent" agent_id={agent_id} />],
    ...given,
  ]
  if (token?.purpose !== undefined) facts.push(['For', token.purpose])
  if (token?.tightest !== undefined)
    facts.push([
      'Budget',
      `${usd(token.tightest.remaining_usd)} of ${usd(token.tightest.allocated_usd)} left${after === undefined ? '' : `, ${usd(after)} after this`}`,
    ])
  if (agent !== undefined)
    facts.push([
      'Reputation',
      agent.total_actions === 0
        ? 'no record yet'
        : `${score(agent.combined_reputation)} from ${counted(agent.total_actions, 'action')}`,
    ])
  if (token !== undefined && token.asked_because.length > 0)
    facts.push(['Why', askedWords(token.asked_because)])
  if (note !== undefined) facts.push(['Note', note])
  if (decided_by !== undefined) facts.push(['Decided by', decided_by])
  facts.push(
    ['Person', <Id key="person" id={human_ref} />],
    ['Request', <Id key="request" id={approval_id} />],
  )
  return facts
}

function label(name: string): string {
  const words = name.replaceAll('_', ' ')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ')
  if (value !== null && typeof value === 'object')
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${plain(one)}`)
      .join(', ')
  return String(value)
}

/** The page where people decide with a passkey. */
function approvePage({ approval_id }: Pick<ListedApproval, 'approval_id'>): LinkedPage {
  return { href: `/approve/${approval_id}`, words: 'Decide with your passkey' }
}

function DecisionDialog({
  approval,
  name,
  deed,
  close,
  reload,
}: {
  readonly approval: ListedApproval
  readonly name: string
  readonly deed: Deed | undefined
  readonly close: () => void
  readonly reload: () => void
}) {
  if (deed === undefined) return null
  if (deed === 'stop')
    return <StopAgent agent_id={approval.agent_id} name={name} close={close} done={reload} />
  const isYes = deed === 'approve'
  const decide = async (note: string | undefined) => {
    const input = { id: approval.approval_id, ...(note !== undefined && { note }) }
    if (isYes) await callService('approve', input)
    else await callService('deny', input)
    tell(isYes ? 'Approved.' : 'Denied.')
    reload()
  }
  return (
    <Confirm
      title={`${isYes ? 'Approve' : 'Deny'}: ${askedDeed(approval)}?`}
      verb={isYes ? `Approve${approval.spend_usd > 0 ? ` ${usd(approval.spend_usd)}` : ''}` : 'Deny'}
      isDangerous={!isYes}
      noteFirst
      passkeyAt={approvePage(approval)}
      noteLabel={isYes ? 'Note (optional)' : 'Reason (optional). The agent gets it.'}
      run={decide}
      close={close}
    >
      <p>
        {isYes
          ? `${name} may do this once. It is recorded that you approved it.`
          : `${name} may not do this. It is recorded that you denied it.`}
      </p>
    </Confirm>
  )
}
