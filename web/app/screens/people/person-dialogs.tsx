import { useState } from 'preact/hooks'
import { callService } from '../../api/client.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { PersonRadius } from '../../parts/stop-dialogs.tsx'
import { tell } from '../../parts/toast.tsx'
import { can } from '../../shell/session.ts'
import { personWord } from '../../words/ids.ts'
import { counted } from '../../words/money.ts'
import { isTypedRight, wordToType } from './typed-confirmation.ts'

interface PersonDeed {
  readonly human_ref: string
  readonly close: () => void
  readonly done: () => void
}

/** Revokes every token of a person. */
export function StopPerson({ human_ref, close, done }: PersonDeed) {
  const [isRefusing, refuse] = useState(false)
  const run = async (reason: string | undefined) => {
    const { revoked_count } = await callService('revokeHuman', {
      human_ref,
      ...(isRefusing && { refuse_new: true }),
      ...(reason !== undefined && { reason }),
    })
    tell(`${counted(revoked_count, 'token')} revoked.`)
    done()
  }
  return (
    <Confirm
      title={`Stop everything of ${personWord(human_ref)}?`}
      verb="Revoke all tokens"
      isDangerous
      noteLabel="Reason (optional)"
      run={run}
      close={close}
    >
      <p>All tokens in the name of this person stop working at once. This cannot be undone.</p>
      <PersonRadius human_ref={human_ref} />
      {can('refuseTokens') && (
        <label class="check">
          <input
            type="checkbox"
            checked={isRefusing}
            onChange={(event) => refuse(event.currentTarget.checked)}
          />
          Also refuse new tokens in their name
        </label>
      )}
    </Confirm>
  )
}

/** Refuses new tokens in the name of a person, or accepts them again. */
export function RefusePerson({
  human_ref,
  isRefused,
  close,
  done,
}: PersonDeed & { readonly isRefused: boolean }) {
  const run = async () => {
    await callService(isRefused ? 'acceptTokens' : 'refuseTokens', { human_ref })
    tell(isRefused ? 'New tokens are accepted again.' : 'New tokens are refused.')
    done()
  }
  return (
    <Confirm
      title={
        isRefused
          ? `Accept tokens of ${personWord(human_ref)} again?`
          : `Refuse new tokens of ${personWord(human_ref)}?`
      }
      verb={isRefused ? 'Accept tokens' : 'Refuse new tokens'}
      isDangerous={!isRefused}
      run={run}
      close={close}
    >
      <p>
        {isRefused
          ? 'Programs can again get tokens in the name of this person. Tokens that were revoked stay revoked.'
          : 'No program gets a token in the name of this person until you accept them again. Live tokens keep working: use Stop everything to end them.'}
      </p>
    </Confirm>
  )
}

/** Erases a person, after the end of their ref is typed. */
export function ErasePerson({ human_ref, close, done }: PersonDeed) {
  const [typed, setTyped] = useState('')
  const run = async () => {
    await callService('eraseHuman', { human_ref })
    tell(`${personWord(human_ref)} is erased.`)
    done()
  }
  return (
    <Confirm
      title={`Erase ${personWord(human_ref)}?`}
      verb="Erase for good"
      isDangerous
      isReady={isTypedRight(typed, human_ref)}
      run={run}
      close={close}
    >
      <p>
        Every token of the person is revoked, and the key of their personal data is destroyed: notes,
        metadata, purposes and reasons. This cannot be undone. The log does not change and still verifies.
      </p>
      <PersonRadius human_ref={human_ref} />
      <label class="field">
        Type {wordToType(human_ref)}, the end of their ref, to confirm
        <input
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  )
}
