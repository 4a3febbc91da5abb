/** The list of what is left to set up. Its items tick themselves. */
import { signal } from '@preact/signals'
import { useLoad } from '../../api/load.ts'
import { can, me } from '../../shell/session.ts'
import { numberText } from '../../words/money.ts'
import { hideSetUp } from './beginning.ts'
import { type SetUpFacts, type SetUpStep, setUpSteps } from './set-up-steps.ts'

const BACKUP = 'deputy-backup-ticked'
/** Only the visitor knows whether backups are scheduled and can be restored. */
const hasBackup = signal(localStorage.getItem(BACKUP) === '1')

function tickBackup(isTicked: boolean): void {
  hasBackup.value = isTicked
  if (isTicked) localStorage.setItem(BACKUP, '1')
  else localStorage.removeItem(BACKUP)
}

const some = (answer: { readonly data: readonly unknown[] } | undefined) =>
  answer === undefined ? undefined : answer.data.length > 0

/** What the service has. In keyed mode, callers may not be allowed to know all of it. */
function useFacts(): SetUpFacts {
  const isKeyed = me.value?.role !== 'local'
  const tokens = useLoad('listTokens', can('listTokens') ? { limit: 1 } : undefined).data
  const records = useLoad('listRecords', can('listRecords') ? { limit: 1 } : undefined).data
  const keys = useLoad('listKeys', isKeyed && can('listKeys') ? { limit: 100 } : undefined).data
  const providers = useLoad('listProviders', isKeyed ? {} : undefined).data
  const passkeys = useLoad('listPasskeys', isKeyed && can('listPasskeys') ? { limit: 1 } : undefined).data
  const own = useLoad('listKeyPasskeys', isKeyed && can('listKeyPasskeys') ? {} : undefined).data
  const webhooks = useLoad('listWebhooks', can('listWebhooks') ? { limit: 1 } : undefined).data
  const messages = useLoad('getNotifications', isKeyed && can('getNotifications') ? {} : undefined).data
  const status = useLoad('getServiceStatus', can('getServiceStatus') ? {} : undefined).data
  const hasRole = (role: string) => keys?.data.some((key) => key.role === role)
  const hasMessages = messages?.channels.some(({ state }) => state === 'active')
  return {
    access: isKeyed ? 'keyed' : 'open',
    has_token: some(tokens),
    has_action: some(records),
    has_own_passkey: own?.data.some(({ key_id }) => key_id === me.value?.key_id),
    has_developer_key: hasRole('developer'),
    has_auditor: hasRole('auditor'),
    has_provider: providers?.data.some(({ protocol }) => protocol === 'oidc'),
    has_person_passkey: some(passkeys),
    has_channel: hasMessages === true ? true : some(webhooks),
    has_witness: status === undefined ? undefined : status.witnesses.configured > 0,
    has_backup: hasBackup.value,
  }
}

/** Above the overview, closed. */
export function SetUpStrip() {
  return <SetUpCard isOpen={false} />
}

export function SetUpCard({ isOpen }: { readonly isOpen: boolean }) {
  const steps = setUpSteps(useFacts())
  const done = steps.filter(({ isDone }) => isDone).length
  const isComplete = done === steps.length
  return (
    <details class="card set-up" open={isOpen}>
      <summary>
        <span class="strong">Set up Deputy</span>
        <progress max={steps.length} value={done} aria-label="Steps that are done" />
        <span class="dim">
          {numberText(done)} of {numberText(steps.length)} done
        </span>
      </summary>
      <ul>
        {steps.map((step) => (
          <Step key={step.id} step={step} />
        ))}
      </ul>
      <div class="buttons">
        <button type="button" class="small" onClick={() => hideSetUp(true)}>
          {isComplete ? 'Done, hide this list' : 'Hide this list'}
        </button>
      </div>
    </details>
  )
}

function Step({ step: { id, title, how, isDone, href } }: { readonly step: SetUpStep }) {
  if (id === 'has_backup')
    return (
      <li>
        <label class="check">
          <input
            type="checkbox"
            checked={isDone}
            onChange={(event) => tickBackup(event.currentTarget.checked)}
          />
          <span>
            <span class="strong">{title}</span> <span class="dim">{how}</span>
          </span>
        </label>
      </li>
    )
  return (
    <li>
      <span class={isDone ? 'outcome done' : 'outcome dim'}>
        <span aria-hidden="true">{isDone ? '✓' : '○'}</span>
        <span class="sr">{isDone ? 'Done:' : 'To do:'}</span>
      </span>
      <span>
        {href === undefined ? (
          <span class="strong">{title}</span>
        ) : (
          <a class="strong" href={href}>
            {title}
          </a>
        )}{' '}
        <span class="dim">{how}</span>
      </span>
    </li>
  )
}
