import type { ListedPerson } from '../../../../sdk/node/src/generated/operations.ts'
import { Empty, ScreenFrame, Shown, When } from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { personPlace, personWord } from '../../words/ids.ts'
import { numberText } from '../../words/money.ts'
import { PersonState } from './person-state.tsx'

export function PeopleScreen() {
  const list = usePages('listHumans', { limit: 50 })
  return (
    <ScreenFrame
      title="People"
      lead="The people that agents act for. The service stores no names or addresses, only a keyed hash of each person."
    >
      <Shown of={list}>
        {(people) =>
          people.length === 0 ? (
            <Empty title="No people yet.">
              A person appears with the first token in their name: issued for their email address, after their
              sign-in, or after a verification.
            </Empty>
          ) : (
            <>
              <section class="card flush">
                <Table label="People" columns={COLUMNS} rows={people} keyOf={({ human_ref }) => human_ref} />
              </section>
              <MoreButton of={list} />
            </>
          )
        }
      </Shown>
    </ScreenFrame>
  )
}

/** The service counts the newest 200 tokens of each person. */
const MOST_COUNTED = 200

function tokenCount({ tokens }: ListedPerson): string {
  return tokens >= MOST_COUNTED ? `${numberText(MOST_COUNTED)} or more` : numberText(tokens)
}

const COLUMNS: readonly ListColumn<ListedPerson>[] = [
  {
    name: 'Person',
    cell: ({ human_ref }) => (
      <a class="agent one-line" href={personPlace(human_ref)} title={human_ref}>
        {personWord(human_ref)}
      </a>
    ),
  },
  { name: 'State', cell: (person) => <PersonState of={person} /> },
  { name: 'Level', wide: true, cell: ({ assurance_levels }) => assurance_levels.join(', ') },
  { name: 'Live tokens', number: true, wide: true, cell: ({ live_tokens }) => numberText(live_tokens) },
  { name: 'Tokens', number: true, wide: true, cell: tokenCount },
  {
    name: 'Waiting',
    number: true,
    cell: ({ waiting }) => <span class={waiting > 0 ? 'ask strong' : 'dim'}>{numberText(waiting)}</span>,
  },
  { name: 'First seen', wide: true, cell: ({ first_seen_at }) => <When at={first_seen_at} /> },
]
