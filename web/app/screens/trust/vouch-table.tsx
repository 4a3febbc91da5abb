import { useState } from 'preact/hooks'
import type { Vouch } from '../../../../sdk/node/src/generated/operations.ts'
import { When } from '../../parts/basics.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { can } from '../../shell/session.ts'
import { nameOfSubject } from '../../words/agent-names.ts'
import { trustPlace } from '../../words/ids.ts'
import { score } from '../../words/money.ts'
import { WithdrawDialog } from './vouch-dialogs.tsx'

function SubjectLink({ subject }: { readonly subject: string }) {
  return (
    <a
      class={`agent ${subject.startsWith('agent:') ? '' : 'one-line'}`}
      href={trustPlace(subject)}
      title={subject}
    >
      {nameOfSubject(subject)}
    </a>
  )
}

const FROM_COLUMN: ListColumn<Vouch> = { name: 'From', cell: ({ from }) => <SubjectLink subject={from} /> }
const TO_COLUMN: ListColumn<Vouch> = { name: 'For', cell: ({ to }) => <SubjectLink subject={to} /> }

export function VouchTable({
  vouches,
  without,
  reload,
}: {
  readonly vouches: readonly Vouch[]
  /** The end that is the same in every row. */
  readonly without?: 'from' | 'to'
  readonly reload: () => void
}) {
  const [withdrawn, withdraw] = useState<Vouch>()
  const columns: readonly ListColumn<Vouch>[] = [
    ...(without === 'from' ? [] : [FROM_COLUMN]),
    ...(without === 'to' ? [] : [TO_COLUMN]),
    { name: 'Weight', number: true, cell: ({ weight }) => score(weight) },
    { name: 'About', wide: true, cell: ({ context }) => context ?? <span class="dim">everything</span> },
    { name: 'Note', wide: true, cell: ({ note }) => <span class="clip">{note}</span> },
    { name: 'Since', wide: true, cell: ({ made_at }) => <When at={made_at} /> },
    ...(can('withdrawVouch') ? [withdrawColumn(withdraw, without === undefined)] : []),
  ]
  return (
    <>
      <Table label="Vouches" columns={columns} rows={vouches} keyOf={({ vouch_id }) => vouch_id} />
      {withdrawn !== undefined && (
        <WithdrawDialog vouch={withdrawn} close={() => withdraw(undefined)} done={reload} />
      )}
    </>
  )
}

/** If a row shows both ends, a phone has no room for this column. The screen of either end has it. */
function withdrawColumn(withdraw: (vouch: Vouch) => void, wide: boolean): ListColumn<Vouch> {
  return {
    name: 'Actions',
    number: true,
    wide,
    cell: (vouch) =>
      vouch.standing && (
        <button type="button" class="small" onClick={() => withdraw(vouch)}>
          Withdraw…
        </button>
      ),
  }
}
