import { useState } from 'preact/hooks'
import type { ApiKey } from '../../../../sdk/node/src/generated/operations.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Empty, Shown, When } from '../../parts/basics.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { setQuery, shownAddress } from '../../router.ts'
import { can, me } from '../../shell/session.ts'
import { CreateKey, DeleteKey, RotateKey } from './key-dialogs.tsx'

type KeyDialog = { readonly kind: 'rotate' | 'delete'; readonly key: ApiKey } | { readonly kind: 'create' }

export function KeysTab() {
  const tenant_id = shownAddress.value.query.get('tenant') ?? undefined
  const list = usePages('listKeys', { limit: 50, ...(tenant_id !== undefined && { tenant_id }) })
  const [dialog, open] = useState<KeyDialog>()
  const deed = { close: () => open(undefined), done: list.reload }
  return (
    <Card
      title="API keys"
      kind="flush"
      aside={
        <>
          <TenantSwitch chosen={tenant_id} />
          {can('createKey') && (
            <button type="button" class="small filled apart" onClick={() => open({ kind: 'create' })}>
              Create key…
            </button>
          )}
        </>
      }
    >
      <Shown of={list}>
        {(keys) =>
          keys.length === 0 ? (
            <Empty title="No keys.">
              Programs call the service with a key in keyed mode. Create one for each program.
            </Empty>
          ) : (
            <Table
              label="API keys"
              columns={[...COLUMNS, makerColumn(keys), ...(can('rotateKey') ? [deedColumn(open)] : [])]}
              rows={keys}
              keyOf={({ key_id }) => key_id}
            />
          )
        }
      </Shown>
      <MoreButton of={list} />
      {dialog?.kind === 'create' && <CreateKey {...deed} tenant_id={tenant_id} />}
      {dialog?.kind === 'rotate' && <RotateKey {...deed} of={dialog.key} />}
      {dialog?.kind === 'delete' && <DeleteKey {...deed} of={dialog.key} />}
    </Card>
  )
}

/** For operators of the deployment, who manage the keys of every tenant. */
function TenantSwitch({ chosen }: { readonly chosen: string | undefined }) {
  const { data } = useLoad('listTenants', can('createTenant') ? { limit: 200 } : undefined)
  const own = me.value?.tenant_id ?? ''
  const others = (data?.data ?? []).filter(({ tenant_id }) => tenant_id !== own)
  if (others.length === 0) return null
  return (
    <label class="inline-field">
      Tenant{' '}
      <select
        value={chosen ?? own}
        onChange={({ currentTarget: { value } }) => setQuery({ tenant: value === own ? undefined : value })}
      >
        <option value={own}>{own}</option>
        {others.map(({ tenant_id, name }) => (
          <option key={tenant_id} value={tenant_id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

const COLUMNS: readonly ListColumn<ApiKey>[] = [
  {
    name: 'Name',
    cell: ({ name, key_id }) => (
      <>
        <span class="strong">{name}</span>
        {key_id === me.value?.key_id && <span class="dim"> yours</span>}
      </>
    ),
  },
  { name: 'Role', cell: ({ role, audience }) => (audience === undefined ? role : `${role} for ${audience}`) },
  { name: 'ID', wide: true, cell: ({ key_id }) => <code>{key_id}</code> },
  { name: 'Tenant', wide: true, cell: ({ tenant_id }) => tenant_id },
  {
    name: 'Last used',
    cell: ({ last_used_at, created_at }) =>
      last_used_at === undefined ? (
        <span class="dim">{isYoung(created_at) ? 'never' : 'not for 30 days'}</span>
      ) : (
        <When at={last_used_at} />
      ),
  },
  { name: 'Expires', cell: ({ expires_at }) => <When at={expires_at} /> },
]

/** Shows the creator by name if its key is in the list. */
function makerColumn(keys: readonly ApiKey[]): ListColumn<ApiKey> {
  const names = new Map(keys.map(({ key_id, name }) => [`key:${key_id}`, name]))
  return {
    name: 'Created by',
    wide: true,
    cell: ({ created_by }) => (
      <span class="dim" title={created_by}>
        {created_by === 'public' ? 'setup' : (names.get(created_by) ?? created_by)}
      </span>
    ),
  }
}

/** Whether the key is younger than 30 days, which is how long the service remembers its use. */
function isYoung(created_at: string): boolean {
  return Date.now() - Date.parse(created_at) < 30 * 24 * 3_600_000
}

function deedColumn(open: (dialog: KeyDialog) => void): ListColumn<ApiKey> {
  return {
    name: 'Actions',
    number: true,
    cell: (key) => (
      <span class="row-deeds">
        <button type="button" class="small" onClick={() => open({ kind: 'rotate', key })}>
          Replace…
        </button>
        {can('deleteKey') && (
          <button type="button" class="small danger" onClick={() => open({ kind: 'delete', key })}>
            Delete…
          </button>
        )}
      </span>
    ),
  }
}
