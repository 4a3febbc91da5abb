import type { SecurityEvent } from '../../../../sdk/node/src/generated/operations.ts'
import { Card, Empty, Shown, When } from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { numberText } from '../../words/money.ts'

const KIND_WORDS = {
  credential_invalid: 'credential not valid',
  role_not_allowed: 'role may not do this',
  not_yours: 'belongs to someone else',
  step_up_required: 'passkey was missing',
  passkey_refused: 'passkey refused',
  cross_site_request: 'call from another site',
  host_not_allowed: 'host not allowed',
  rate_limited: 'too many calls',
} as const satisfies Record<SecurityEvent['kind'], string>
type RefusalKind = keyof typeof KIND_WORDS

// The entries of an object literal.
const KINDS = Object.entries(KIND_WORDS) as [RefusalKind, string][]

/** Calls that were refused, by hour. */
export function SecurityEventsTab() {
  const wanted = shownAddress.value.query.get('kind')
  const kind = KINDS.find(([one]) => one === wanted)?.[0]
  const list = usePages('listSecurityEvents', { limit: 50, ...(kind !== undefined && { kind }) })
  return (
    <>
      <div class="filters">
        <SelectField
          label="Reason"
          of={[['', 'All reasons'] as const, ...KINDS]}
          chosen={kind ?? ''}
          choose={(value) => setQuery({ kind: value })}
        />
      </div>
      <Card title="Refused calls, last 7 days" kind="flush">
        <Shown of={list}>
          {(events) =>
            events.length === 0 ? (
              <Empty
                title={
                  list.more === undefined ? 'No refused calls.' : 'No refused calls in the latest hours.'
                }
              >
                They appear in keyed mode, when a caller has no valid credential or lacks permission.
              </Empty>
            ) : (
              <Table
                label="Refused calls"
                columns={COLUMNS}
                rows={events}
                keyOf={({ hour, kind: one, caller, reason = '', network = '' }) =>
                  `${hour} ${one} ${caller} ${reason} ${network}`
                }
              />
            )
          }
        </Shown>
        <MoreButton of={list} />
      </Card>
    </>
  )
}

const COLUMNS: readonly ListColumn<SecurityEvent>[] = [
  {
    name: 'Reason',
    cell: ({ kind, reason }) => (
      <>
        <span class="strong">{KIND_WORDS[kind]}</span>
        {reason !== undefined && <span class="dim"> {reason.replaceAll('_', ' ')}</span>}
      </>
    ),
  },
  { name: 'Times', number: true, cell: ({ count }) => numberText(count) },
  {
    name: 'Caller',
    cell: ({ caller, network }) => (network === undefined ? caller : `${caller}, ${network}`),
  },
  { name: 'First call', wide: true, cell: ({ operation }) => <code>{operation}</code> },
  { name: 'Last', cell: ({ last_at }) => <When at={last_at} /> },
]
