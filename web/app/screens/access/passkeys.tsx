import { useState } from 'preact/hooks'
import type { KeyPasskey } from '../../../../sdk/node/src/generated/operations.ts'
import { callService, problemCode } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Empty, Shown, When } from '../../parts/basics.tsx'
import { Confirm, KEEP_OPEN } from '../../parts/dialog.tsx'
import { FormDialog, TextField, useForm } from '../../parts/form.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { tell } from '../../parts/toast.tsx'
import { me, signInWith } from '../../shell/session.ts'

/** Passkeys that sign in to the dashboard instead of an API key. */
export function PasskeysTab() {
  const list = useLoad('listKeyPasskeys', {})
  const [isAdding, add] = useState(false)
  const [deleted, remove] = useState<KeyPasskey>()
  const isInSession = me.value?.session_id !== undefined
  return (
    <Card
      title="Passkeys"
      kind="flush"
      aside={
        isInSession && (
          <button type="button" class="small filled apart" onClick={() => add(true)}>
            Add passkey…
          </button>
        )
      }
    >
      <Shown of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No passkeys.">
              A passkey signs you in to the dashboard in place of your API key, with the same role. It ends
              with the key. Passkeys of people are on their own page.
            </Empty>
          ) : (
            <Table
              label="Passkeys"
              columns={[...COLUMNS, deleteColumn(remove)]}
              rows={data}
              keyOf={({ passkey_id }) => passkey_id}
            />
          )
        }
      </Shown>
      {isAdding && <AddPasskey close={() => add(false)} done={list.reload} />}
      {deleted !== undefined && (
        <DeletePasskey passkey={deleted} close={() => remove(undefined)} done={list.reload} />
      )}
    </Card>
  )
}

const COLUMNS: readonly ListColumn<KeyPasskey>[] = [
  {
    name: 'Name',
    cell: ({ name, suspected_clone }) => (
      <>
        <span class="strong">{name}</span>
        {suspected_clone && <span class="no"> blocked: may have been copied</span>}
      </>
    ),
  },
  {
    name: 'Key',
    cell: ({ key_name, key_id }) => (
      <>
        {key_name}
        {key_id === me.value?.key_id && <span class="dim"> yours</span>}
      </>
    ),
  },
  { name: 'Synced', wide: true, cell: ({ backed_up }) => (backed_up ? 'between devices' : 'one device') },
  { name: 'Added', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
  { name: 'Last used', cell: ({ last_used_at }) => <When at={last_used_at} /> },
]

function deleteColumn(remove: (passkey: KeyPasskey) => void): ListColumn<KeyPasskey> {
  return {
    name: 'Actions',
    number: true,
    cell: (passkey) => (
      <button type="button" class="small danger" onClick={() => remove(passkey)}>
        Delete…
      </button>
    ),
  }
}

interface PasskeyDialog {
  readonly close: () => void
  readonly done: () => void
}

/** A session that is older than five minutes must present the key once more. */
function AddPasskey({ close, done }: PasskeyDialog) {
  const form = useForm(['/name'])
  const [name, setName] = useState('')
  const [key, setKey] = useState<string>()
  const run = async () => {
    if (key !== undefined) await signInWith(key.trim())
    try {
      const { createOwnPasskey } = await import('../../shell/passkeys.ts')
      await createOwnPasskey(name.trim())
    } catch (error) {
      if (problemCode(error) !== 'sign_on_too_old') throw error
      setKey('')
      return KEEP_OPEN
    }
    tell('The passkey is added. Use it at your next sign-in.')
    done()
    return undefined
  }
  return (
    <FormDialog title="Add a passkey" verb="Add passkey" of={form} run={run} close={close}>
      <p>
        Your device asks for a fingerprint, your face or its PIN. The passkey never leaves it unprotected.
      </p>
      <TextField
        label="Name (optional)"
        pointer="/name"
        isOptional
        of={form}
        value={name}
        set={setName}
        placeholder="Laptop"
      />
      {key !== undefined && (
        <label class="field">
          Enter your API key again: you signed in more than five minutes ago
          <input
            type="password"
            required
            autocomplete="off"
            spellcheck={false}
            value={key}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
        </label>
      )}
    </FormDialog>
  )
}

function DeletePasskey({ passkey, close, done }: PasskeyDialog & { readonly passkey: KeyPasskey }) {
  const run = async () => {
    await callService('deleteKeyPasskey', { id: passkey.passkey_id })
    tell(`The passkey “${passkey.name}” is deleted.`)
    done()
  }
  return (
    <Confirm
      title={`Delete the passkey “${passkey.name}”?`}
      verb="Delete passkey"
      isDangerous
      run={run}
      close={close}
    >
      <p>
        It can no longer be used to sign in. The other sessions of the key “{passkey.key_name}” end. If you
        signed in with this passkey, yours ends too. The key stays.
      </p>
    </Confirm>
  )
}
