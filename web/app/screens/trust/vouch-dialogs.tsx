import { useState } from 'preact/hooks'
import type { Vouch } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { FactList } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { tell } from '../../parts/toast.tsx'
import { me } from '../../shell/session.ts'
import { nameOfSubject } from '../../words/agent-names.ts'
import { personWord } from '../../words/ids.ts'
import { score } from '../../words/money.ts'

interface Deed {
  readonly close: () => void
  readonly done: () => void
}

export function VouchDialog({ to: subject = '', close, done }: Deed & { readonly to?: string }) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState(subject)
  const [weight, setWeight] = useState('0.8')
  const [context, setContext] = useState('')
  // A signed-in person vouches as themselves.
  const isLocal = me.value?.role === 'local'
  const run = async (note: string | undefined) => {
    await callService('vouch', {
      to: to.trim(),
      weight: Number(weight),
      ...(isLocal && { from: from.trim() }),
      ...(context.trim() !== '' && { context: context.trim() }),
      ...(note !== undefined && { note }),
    })
    tell(`The vouch for ${nameOfSubject(to.trim())} counts from now on.`)
    done()
  }
  return (
    <Confirm
      title={subject === '' ? 'Vouch' : `Vouch for ${nameOfSubject(subject)}`}
      verb="Vouch"
      noteLabel="Why (optional)"
      isReady={to.trim() !== '' && (!isLocal || from.trim() !== '')}
      run={run}
      close={close}
    >
      <p>A vouch is a person’s word. Bad ratings of the agent count against those who vouch for it.</p>
      {isLocal && (
        <label class="field">
          ID of the person who vouches
          <input required value={from} onInput={(event) => setFrom(event.currentTarget.value)} />
        </label>
      )}
      {subject === '' && (
        <label class="field">
          For: an agent (agent:name) or the ID of a person
          <input required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
      )}
      <label class="field">
        Weight, from 0.01 to 1
        <input
          type="number"
          min="0.01"
          max="1"
          step="0.01"
          required
          value={weight}
          onInput={(event) => setWeight(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        About (optional, for example payments)
        <input
          pattern="[a-z0-9_\-]{1,32}"
          value={context}
          onInput={(event) => setContext(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  )
}

export function WithdrawDialog({ vouch, close, done }: Deed & { readonly vouch: Vouch }) {
  const run = async () => {
    await callService('withdrawVouch', { vouch_id: vouch.vouch_id })
    tell('The vouch is withdrawn.')
    done()
  }
  return (
    <Confirm title="Withdraw this vouch?" verb="Withdraw" isDangerous run={run} close={close}>
      <p>It stops counting immediately and permanently. The person can vouch again.</p>
      <FactList
        of={[
          ['From', nameOfSubject(vouch.from)],
          ['For', nameOfSubject(vouch.to)],
          ['Weight', score(vouch.weight)],
          ['About', vouch.context ?? 'everything'],
        ]}
      />
    </Confirm>
  )
}

/** Names a person as an anchor, where scores begin. */
export function AnchorDialog({ human_ref, close, done }: Deed & { readonly human_ref: string }) {
  const [base, setBase] = useState('0.7')
  const run = async (reason: string | undefined) => {
    await callService('nameAnchor', { human_ref, base: Number(base), reason: reason ?? '' })
    tell(`${personWord(human_ref)} is an anchor.`)
    done()
  }
  return (
    <Confirm
      title={`Name ${personWord(human_ref)} as an anchor?`}
      verb="Name as anchor"
      noteLabel="Reason"
      run={run}
      close={close}
    >
      <p>Scores start at anchors. The log contains the value and a digest of the reason.</p>
      <label class="field">
        Base value, from 0 to 0.95
        <input
          type="number"
          min="0"
          max="0.95"
          step="0.01"
          required
          value={base}
          onInput={(event) => setBase(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  )
}

export function RemoveAnchorDialog({ human_ref, close, done }: Deed & { readonly human_ref: string }) {
  const run = async () => {
    await callService('removeAnchor', { human_ref })
    tell(`${personWord(human_ref)} is no longer an anchor by name.`)
    done()
  }
  return (
    <Confirm
      title={`Remove ${personWord(human_ref)} from the anchors?`}
      verb="Remove anchor"
      isDangerous
      run={run}
      close={close}
    >
      <p>
        Scores that start at this person fall. The weight from their own verification stays: this removes only
        the value that an operator named.
      </p>
    </Confirm>
  )
}
