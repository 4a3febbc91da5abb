import { useState } from 'preact/hooks'
import type { SignIn } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { Id, When } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { tell } from '../../parts/toast.tsx'
import { can } from '../../shell/session.ts'
import { personPlace, personWord } from '../../words/ids.ts'

/** Open sessions. Each can be ended. */
export function SessionTable({
  sessions,
  reload,
}: {
  readonly sessions: readonly SignIn[]
  readonly reload: () => void
}) {
  const [ended, end] = useState<SignIn>()
  const columns = can('endSignIn') ? [...COLUMNS, endColumn(end)] : COLUMNS
  return (
    <>
      <Table label="Sessions" columns={columns} rows={sessions} keyOf={({ session_id }) => session_id} />
      {ended !== undefined && <EndSession session={ended} close={() => end(undefined)} done={reload} />}
    </>
  )
}

function Who({ of: { key_name, key_id, human_ref, current } }: { readonly of: SignIn }) {
  return (
    <>
      {human_ref === undefined ? (
        <span class="strong">{key_name ?? key_id ?? 'unknown'}</span>
      ) : (
        <a class="agent one-line" href={personPlace(human_ref)}>
          {personWord(human_ref)}
        </a>
      )}
      {current && <span class="dim"> this session</span>}
    </>
  )
}

const COLUMNS: readonly ListColumn<SignIn>[] = [
  { name: 'Who', cell: (session) => <Who of={session} /> },
  { name: 'Role', cell: ({ role }) => role },
  { name: 'Began', cell: ({ started_at }) => <When at={started_at} /> },
  { name: 'Ends unless used', wide: true, cell: ({ expires_at }) => <When at={expires_at} /> },
  { name: 'Session', wide: true, cell: ({ session_id }) => <Id id={session_id} /> },
]

function endColumn(end: (session: SignIn) => void): ListColumn<SignIn> {
  return {
    name: 'Actions',
    number: true,
    cell: (session) => (
      <button type="button" class="small" onClick={() => end(session)}>
        End…
      </button>
    ),
  }
}

function EndSession({
  session,
  close,
  done,
}: {
  readonly session: SignIn
  readonly close: () => void
  readonly done: () => void
}) {
  const run = async () => {
    await callService('endSignIn', { session_id: session.session_id })
    tell('The session has ended.')
    done()
  }
  return (
    <Confirm title="End this session?" verb="End session" isDangerous run={run} close={close}>
      <p>
        {session.current
          ? 'This is the session of this browser. You will have to sign in again.'
          : 'The browser that holds it is signed out at its next call.'}
      </p>
    </Confirm>
  )
}
