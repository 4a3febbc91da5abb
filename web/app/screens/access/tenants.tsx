import { useState } from 'preact/hooks'
import type { Tenant } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { Card, Empty, FactList, Shown, When } from '../../parts/basics.tsx'
import { FormDialog, TextField, useForm } from '../../parts/form.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { tell } from '../../parts/toast.tsx'
import { can, me } from '../../shell/session.ts'
import { counted, numberText, usd } from '../../words/money.ts'

/** The caller's own tenant and all others. The list lacks the own tenant before its first change. */
export function TenantsTab() {
  const list = usePages('listTenants', { limit: 20 })
  const tenant_id = me.value?.tenant_id ?? ''
  const isListed = list.data === undefined || list.data.some((tenant) => tenant.tenant_id === tenant_id)
  const own = useLoad('getTenant', isListed ? undefined : { tenant_id })
  const [isCreating, create] = useState(false)
  return (
    <>
      {can('createTenant') && (
        <div class="buttons">
          <button type="button" class="small filled" onClick={() => create(true)}>
            Create tenant…
          </button>
        </div>
      )}
      {isCreating && <TenantForm tenant={undefined} close={() => create(false)} done={list.reload} />}
      <Shown of={list}>
        {(listed) => {
          const tenants = own.data === undefined ? listed : [own.data, ...listed]
          return tenants.length === 0 ? (
            <Empty title="No tenants.">
              A tenant keeps the agents, people and records of one organization separate from all others.
              Keyed mode begins with one.
            </Empty>
          ) : (
            <div class="pair">
              {tenants.map((tenant) => (
                <TenantCard key={tenant.tenant_id} tenant={tenant} reload={list.reload} />
              ))}
            </div>
          )
        }}
      </Shown>
      <MoreButton of={list} />
    </>
  )
}

function TenantCard({ tenant, reload }: { readonly tenant: Tenant; readonly reload: () => void }) {
  const [isEditing, edit] = useState(false)
  return (
    <Card
      title={tenant.name}
      aside={
        can('updateTenant') && (
          <button type="button" class="small apart" onClick={() => edit(true)}>
            Change…
          </button>
        )
      }
    >
      <FactList
        of={[
          ['ID', <code key="id">{tenant.tenant_id}</code>],
          ['Tokens without a key', tenant.allow_bearer ? 'allowed' : 'refused'],
          ['Passkey for', tenant.step_up.map((group) => STEP_UP_WORDS[group]).join(', ') || 'nothing'],
          ['Reviewers', counted(tenant.reviewers.length, 'person', 'people')],
          [
            'Calls per minute',
            tenant.rate_limit === undefined ? 'limit of the service' : numberText(tenant.rate_limit),
          ],
          ...reviewFacts(tenant),
          // The first tenant is as old as the service, and has time 0 as its creation time.
          ...(tenant.log_index === undefined || Date.parse(tenant.created_at) === 0
            ? []
            : [['Created', <When key="created" at={tenant.created_at} />] as const]),
        ]}
      />
      {isEditing && <TenantForm tenant={tenant} close={() => edit(false)} done={reload} />}
    </Card>
  )
}

function reviewFacts({ review }: Tenant): (readonly [string, string])[] {
  const parts = [
    ...(review?.sample_pct === undefined ? [] : [`${review.sample_pct} % of new L3 tokens`]),
    ...(review?.above_usd === undefined ? [] : [`actions above ${usd(review.above_usd)}`]),
  ]
  return parts.length === 0 ? [] : [['Held for review', parts.join(', ')]]
}

const STEP_UP_WORDS = {
  rate: 'ratings',
  approve: 'approvals',
  issue_l2: 'new L2 tokens',
  revoke_many: 'stopping everything',
  erase: 'erasing and exporting',
  passkeys: 'changes of passkeys',
  duress: 'the sign of coercion',
  vouch: 'vouches',
} as const
type StepUpGroup = keyof typeof STEP_UP_WORDS
// The keys of an object literal.
const STEP_UP_GROUPS = Object.keys(STEP_UP_WORDS) as StepUpGroup[]

/** Changes a tenant, or creates one. */
function TenantForm({
  tenant,
  close,
  done,
}: {
  /** Undefined for a new one. */
  readonly tenant: Tenant | undefined
  readonly close: () => void
  readonly done: () => void
}) {
  const form = useForm(['/tenant_id', '/name', '/rate_limit', '/allow_bearer', '/step_up'])
  const [id, setId] = useState('')
  const [name, setName] = useState(tenant?.name ?? '')
  const [limit, setLimit] = useState(tenant?.rate_limit === undefined ? '' : String(tenant.rate_limit))
  const [allow_bearer, setBearer] = useState(tenant?.allow_bearer ?? false)
  const [step_up, setStepUp] = useState<readonly StepUpGroup[]>(tenant?.step_up ?? [])
  const turn = (group: StepUpGroup) =>
    setStepUp((before) =>
      before.includes(group) ? before.filter((one) => one !== group) : [...before, group],
    )
  const run = async () => {
    const settings = {
      ...(name.trim() !== '' && { name: name.trim() }),
      rate_limit: limit.trim() === '' ? null : Number(limit),
      allow_bearer,
      step_up: [...step_up],
    }
    if (tenant === undefined) await callService('createTenant', { tenant_id: id.trim(), ...settings })
    else await callService('updateTenant', { tenant_id: tenant.tenant_id, ...settings })
    tell(tenant === undefined ? `${name || id} is created.` : `${tenant.name} is changed.`)
    done()
  }
  return (
    <FormDialog
      title={tenant === undefined ? 'Create a tenant' : `Change ${tenant.name}`}
      verb={tenant === undefined ? 'Create tenant' : 'Save'}
      of={form}
      run={run}
      close={close}
    >
      {tenant === undefined && (
        <TextField
          label="ID"
          pointer="/tenant_id"
          of={form}
          value={id}
          set={setId}
          placeholder="acme"
          hint="Appears in tokens and in the log. You can’t change it later."
        />
      )}
      <TextField label="Name" pointer="/name" isOptional of={form} value={name} set={setName} />
      <TextField
        label="Calls per minute (optional)"
        hint="Empty: the limit of the service."
        pointer="/rate_limit"
        inputMode="numeric"
        isOptional
        of={form}
        value={limit}
        set={setLimit}
      />
      <fieldset class="checks">
        <legend>People confirm with a fresh passkey</legend>
        {STEP_UP_GROUPS.map((group) => (
          <label class="check" key={group}>
            <input type="checkbox" checked={step_up.includes(group)} onChange={() => turn(group)} />
            {STEP_UP_WORDS[group]}
          </label>
        ))}
      </fieldset>
      <fieldset class="checks">
        <legend>Agents</legend>
        <label class="check">
          <input
            type="checkbox"
            checked={allow_bearer}
            onChange={(event) => setBearer(event.currentTarget.checked)}
          />
          may use tokens that are not bound to a key. A thief could use a stolen one.
        </label>
      </fieldset>
    </FormDialog>
  )
}
