import { useState } from 'preact/hooks'
import type { Webhook } from '../../../../sdk/node/src/generated/operations.ts'
import { callService } from '../../api/client.ts'
import { Card, Empty, Mark, Shown, When } from '../../parts/basics.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { MoreButton, usePages } from '../../parts/pages.tsx'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { doAndTell, tell } from '../../parts/toast.tsx'
import { can } from '../../shell/session.ts'
import { WebhookForm } from './webhook-form.tsx'

export function WebhooksTab() {
  const list = usePages('listWebhooks', { limit: 50 })
  const [deleted, remove] = useState<Webhook>()
  const [edited, edit] = useState<Webhook | 'new'>()
  return (
    <Card
      title="Webhooks"
      kind="flush"
      aside={
        can('createWebhook') && (
          <button type="button" class="small filled apart" onClick={() => edit('new')}>
            Create webhook…
          </button>
        )
      }
    >
      <Shown of={list}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Empty title="No webhooks.">
              A webhook sends signed events to your own URL. Create one to be notified when an agent waits for
              an answer.
            </Empty>
          ) : (
            <Table
              label="Webhooks"
              columns={[...COLUMNS, ...(can('testWebhook') ? [deedColumn(list.reload, remove, edit)] : [])]}
              rows={webhooks}
              keyOf={({ webhook_id }) => webhook_id}
            />
          )
        }
      </Shown>
      <MoreButton of={list} />
      {edited !== undefined && (
        <WebhookForm
          close={() => edit(undefined)}
          done={list.reload}
          {...(edited !== 'new' && { of: edited })}
        />
      )}
      {deleted !== undefined && (
        <DeleteWebhook webhook={deleted} close={() => remove(undefined)} done={list.reload} />
      )}
    </Card>
  )
}

const STATES = {
  enabled: { tone: 'done', shape: '●', word: 'works' },
  failing: { tone: 'wait', shape: '◐', word: 'fails' },
  disabled: { tone: 'no', shape: '✕', word: 'disabled' },
} as const

function WebhookState({ of: { status, failing_since, disabled_at } }: { readonly of: Webhook }) {
  const since = disabled_at ?? failing_since
  return (
    <>
      <Mark {...STATES[status]} />
      {since !== undefined && (
        <span class="dim">
          {' '}
          since <When at={since} />
        </span>
      )}
    </>
  )
}

const COLUMNS: readonly ListColumn<Webhook>[] = [
  {
    name: 'Address',
    cell: ({ url, description }) => (
      <>
        <span class="strong">{url}</span>
        {description !== undefined && <span class="dim"> {description}</span>}
      </>
    ),
  },
  { name: 'State', cell: (webhook) => <WebhookState of={webhook} /> },
  {
    name: 'Events',
    wide: true,
    cell: ({ events }) => <span class="clip">{events.includes('*') ? 'all' : events.join(', ')}</span>,
  },
  { name: 'Format', wide: true, cell: ({ format }) => format },
  { name: 'Created', wide: true, cell: ({ created_at }) => <When at={created_at} /> },
]

function deedColumn(
  reload: () => void,
  remove: (webhook: Webhook) => void,
  edit: (webhook: Webhook) => void,
): ListColumn<Webhook> {
  return {
    name: 'Actions',
    number: true,
    cell: (webhook) => (
      <span class="row-deeds">
        <button type="button" class="small" onClick={() => void sendTest(webhook)}>
          Test
        </button>
        {webhook.status === 'disabled' && (
          <button type="button" class="small" onClick={() => void enable(webhook, reload)}>
            Enable
          </button>
        )}
        <button type="button" class="small" onClick={() => edit(webhook)}>
          Change…
        </button>
        <button type="button" class="small danger" onClick={() => remove(webhook)}>
          Delete…
        </button>
      </span>
    ),
  }
}

function sendTest({ webhook_id }: Webhook): Promise<void> {
  return doAndTell(async () => {
    const { delivered, status, error, took_ms } = await callService('testWebhook', { webhook_id })
    if (delivered) return `The receiver answered ${status} after ${took_ms} ms.`
    return `The test did not arrive: ${error ?? `the receiver answered ${status}`}.`
  })
}

function enable({ webhook_id }: Webhook, reload: () => void): Promise<void> {
  return doAndTell(async () => {
    await callService('enableWebhook', { webhook_id })
    reload()
    return 'The webhook is enabled again.'
  })
}

function DeleteWebhook({
  webhook,
  close,
  done,
}: {
  readonly webhook: Webhook
  readonly close: () => void
  readonly done: () => void
}) {
  const run = async () => {
    await callService('deleteWebhook', { webhook_id: webhook.webhook_id })
    tell('The webhook is deleted.')
    done()
  }
  return (
    <Confirm title="Delete this webhook?" verb="Delete webhook" isDangerous run={run} close={close}>
      <p>
        {webhook.url} gets no more events, also none that wait to be sent again. This cannot be undone: a new
        webhook has a new secret.
      </p>
    </Confirm>
  )
}
