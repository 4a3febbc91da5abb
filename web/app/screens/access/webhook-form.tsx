import { useState } from 'preact/hooks'
import type {
  CreatedWebhook,
  CreateWebhookInput,
  Webhook,
} from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { KEEP_OPEN } from '../../parts/dialog.tsx'
import { ChoiceField, FormDialog, TextField, useForm } from '../../parts/form.tsx'
import { tell } from '../../parts/toast.tsx'
import { listedWords } from '../../words/word-list.ts'
import { ShownOnce } from './shown-once.tsx'
import { EVENT_GROUPS, type EventGroup, eventsOf, groupOf } from './webhook-events.ts'

const FORMATS = [
  ['deputy', 'Event of this API'],
  ['cloudevents', 'CloudEvents 1.0'],
  ['ocsf', 'OCSF'],
] as const
const SIGNATURES = [
  ['v1', 'a shared secret (HMAC-SHA256)'],
  ['v1a', 'a public key (Ed25519)'],
] as const

type EventList = NonNullable<CreateWebhookInput['events']>

interface WebhookDialog {
  readonly close: () => void
  readonly done: () => void
  /** Undefined for a new one. */
  readonly of?: Webhook
}

/** Creates a webhook and shows its secret once, or changes one. */
export function WebhookForm({ close, done, of }: WebhookDialog) {
  const form = useForm(['/url', '/description', '/events', '/format', '/signature'])
  const [url, setUrl] = useState(of?.url ?? '')
  const [description, setDescription] = useState(of?.description ?? '')
  const [group, setGroup] = useState<EventGroup>(groupOf(of?.events ?? ['*']))
  const [types, setTypes] = useState(group === 'some' ? (of?.events ?? []).join(' ') : '')
  const [format, setFormat] = useState<Webhook['format']>(of?.format ?? 'deputy')
  const [signature, setSignature] = useState<'v1' | 'v1a'>('v1')
  const [created, setCreated] = useState<CreatedWebhook>()
  if (created !== undefined) return <NewWebhook of={created} close={close} />
  const run = async () => {
    const settings = {
      url: url.trim(),
      // The service knows every type, and names the typed ones that it doesn't know.
      events: eventsOf(group, listedWords(types)) as EventList,
      format,
    }
    const said = description.trim()
    if (of === undefined)
      setCreated(
        await callService('createWebhook', {
          ...settings,
          ...(said !== '' && { description: said }),
          signature,
        }),
      )
    else {
      const { webhook_id } = of
      await callService('updateWebhook', { webhook_id, ...settings, description: said === '' ? null : said })
      tell('The webhook is changed.')
      close()
    }
    done()
  }
  return (
    <FormDialog
      title={of === undefined ? 'Create a webhook' : 'Change this webhook'}
      verb={of === undefined ? 'Create webhook' : 'Save'}
      of={form}
      run={async () => {
        await run()
        return KEEP_OPEN
      }}
      close={close}
    >
      <TextField
        label="Address"
        pointer="/url"
        inputMode="url"
        of={form}
        value={url}
        set={setUrl}
        placeholder="https://example.com/hooks/deputy"
        hint="https on the public internet. Other addresses need an entry in DEPUTY_OUTBOUND_ALLOW."
      />
      <TextField
        label="What it is for (optional)"
        pointer="/description"
        isOptional
        of={form}
        value={description}
        set={setDescription}
      />
      <ChoiceField
        label="Events"
        pointer={group === 'some' ? '/no-field' : '/events'}
        of={form}
        options={EVENT_GROUPS}
        chosen={group}
        choose={setGroup}
      />
      {group === 'some' && (
        <TextField
          label="Types"
          pointer="/events"
          of={form}
          value={types}
          set={setTypes}
          placeholder="action.denied token.revoked"
        />
      )}
      <ChoiceField
        label="Format"
        pointer="/format"
        of={form}
        options={FORMATS}
        chosen={format}
        choose={setFormat}
      />
      {of === undefined && (
        <ChoiceField
          label="Signed with"
          pointer="/signature"
          of={form}
          options={SIGNATURES}
          chosen={signature}
          choose={setSignature}
        />
      )}
    </FormDialog>
  )
}

function NewWebhook({ of, close }: { readonly of: CreatedWebhook; readonly close: () => void }) {
  return of.secret === undefined ? (
    <ShownOnce title="The webhook is created" what="public key" text={of.public_key ?? ''} close={close}>
      <p>Verify messages with this public key. The list of webhooks shows it again.</p>
    </ShownOnce>
  ) : (
    <ShownOnce title="The webhook is created" what="secret" text={of.secret} close={close}>
      <p>Verify messages with this secret. Store it now: it is not shown again.</p>
    </ShownOnce>
  )
}
