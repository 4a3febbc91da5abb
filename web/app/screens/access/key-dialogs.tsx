import { useState } from 'preact/hooks'
import type { ApiKey, CreatedApiKey } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { FactList, When } from '../../parts/basics.tsx'
import { Confirm, KEEP_OPEN } from '../../parts/dialog.tsx'
import { ChoiceField, FormDialog, TextField, useForm } from '../../parts/form.tsx'
import { SelectField } from '../../parts/select-field.tsx'
import { tell } from '../../parts/toast.tsx'
import { can, me } from '../../shell/session.ts'
import { counted } from '../../words/money.ts'
import { relativeTime } from '../../words/time.ts'
import { ShownOnce } from './shown-once.tsx'

interface KeyDeed {
  readonly close: () => void
  readonly done: () => void
}

const ROLES = [
  ['developer', 'developer: issues tokens, records actions'],
  ['resource_server', 'resource_server: checks tokens before it acts'],
  ['auditor', 'auditor: reads everything, changes nothing'],
  ['operator', 'operator: keys, tenants, people, and every stop'],
  ['safety', 'safety: decides what is held for review'],
] as const
type KeyRole = (typeof ROLES)[number][0]

const DAY_S = 86_400
const LIFETIMES = [
  [String(7 * DAY_S), '7 days'],
  [String(30 * DAY_S), '30 days'],
  [String(90 * DAY_S), '90 days'],
  [String(365 * DAY_S), '1 year'],
] as const

/** Creates a key and shows it once. `tenant_id` is the tenant that the list shows. */
export function CreateKey({ close, done, tenant_id }: KeyDeed & { readonly tenant_id: string | undefined }) {
  const form = useForm(['/name', '/role', '/audience', '/expires_in'])
  const [name, setName] = useState('')
  const [role, setRole] = useState<KeyRole>('developer')
  const [audience, setAudience] = useState('')
  const [expires_in, setLifetime] = useState<string>(LIFETIMES[2][0])
  const [created, setCreated] = useState<CreatedApiKey>()
  const isServer = role === 'resource_server'
  if (created !== undefined) return <NewKey of={created} close={close} />
  const run = async () => {
    const made = await callService('createKey', {
      name: name.trim(),
      role,
      expires_in: Number(expires_in),
      ...(tenant_id !== undefined && { tenant_id }),
      ...(isServer && { audience: audience.trim() }),
    })
    done()
    setCreated(made)
    return KEEP_OPEN
  }
  const where = tenant_id === undefined ? '' : ` for ${tenant_id}`
  return (
    <FormDialog title={`Create an API key${where}`} verb="Create key" of={form} run={run} close={close}>
      <TextField label="What the key is for" pointer="/name" of={form} value={name} set={setName} />
      <ChoiceField label="Role" pointer="/role" of={form} options={ROLES} chosen={role} choose={setRole} />
      {isServer && (
        <TextField
          label="Audience that tokens must name"
          pointer="/audience"
          of={form}
          value={audience}
          set={setAudience}
        />
      )}
      <ChoiceField
        label="Expires after"
        pointer="/expires_in"
        of={form}
        options={LIFETIMES}
        chosen={expires_in}
        choose={setLifetime}
      />
    </FormDialog>
  )
}

function NewKey({ of, close }: { readonly of: CreatedApiKey; readonly close: () => void }) {
  return (
    <ShownOnce title={`The key “${of.name}”`} what="key" text={of.key} close={close}>
      <p>Store it now. The service keeps only a hash of it and cannot show it again.</p>
      <FactList
        of={[
          ['Role', of.role],
          ['Tenant', of.tenant_id],
          ['Expires', <When key="expires" at={of.expires_at} />],
        ]}
      />
    </ShownOnce>
  )
}

const HOUR_S = 3600
const OVERLAPS = [
  ['0', 'at once'],
  [String(HOUR_S), 'after 1 hour'],
  [String(DAY_S), 'after 1 day'],
  [String(7 * DAY_S), 'after 7 days'],
] as const

/** Replaces a key. The old one works for a while longer. */
export function RotateKey({ of, close, done }: KeyDeed & { readonly of: ApiKey }) {
  const [overlap_s, setOverlap] = useState<string>(OVERLAPS[2][0])
  const [created, setCreated] = useState<CreatedApiKey>()
  if (created !== undefined) return <NewKey of={created} close={close} />
  const run = async () => {
    const made = await callService('rotateKey', { key_id: of.key_id, overlap_s: Number(overlap_s) })
    done()
    setCreated(made)
    return KEEP_OPEN
  }
  return (
    <Confirm title={`Replace the key “${of.name}”?`} verb="Replace key" run={run} close={close}>
      <p>
        You get a new key with the same name, role and tenant. Give it to the program before the old one ends.
      </p>
      <SelectField label="The old key ends" of={OVERLAPS} chosen={overlap_s} choose={setOverlap} />
      <KeyUse of={of} />
    </Confirm>
  )
}

export function DeleteKey({ of, close, done }: KeyDeed & { readonly of: ApiKey }) {
  const isOwn = of.key_id === me.value?.key_id
  const run = async () => {
    await callService('deleteKey', { key_id: of.key_id })
    tell(`The key “${of.name}” is deleted.`)
    done()
  }
  return (
    <Confirm title={`Delete the key “${of.name}”?`} verb="Delete key" isDangerous run={run} close={close}>
      <p>
        Programs that use it are refused at once, on other nodes within two seconds. This cannot be undone.
        Tokens that were issued with it stay live.
      </p>
      {isOwn && <p class="notice">You are signed in with this key. Deleting it signs you out.</p>}
      <KeyUse of={of} />
    </Confirm>
  )
}

/** What the end of a key would affect. */
function KeyUse({ of: { key_id, role, last_used_at } }: { readonly of: ApiKey }) {
  const { data } = useLoad('listSignIns', can('listSignIns') ? {} : undefined, { live: false })
  const sessions = data?.data.filter((session) => session.key_id === key_id).length
  return (
    <FactList
      of={[
        ['Role', role],
        [
          'Last used',
          last_used_at === undefined ? 'not within 30 days' : relativeTime(last_used_at, Date.now()),
        ],
        ...(sessions === undefined ? [] : [['Ends with it', counted(sessions, 'session')] as const]),
      ]}
    />
  )
}
