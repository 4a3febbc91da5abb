import type { Command } from 'commander'
import { addCallCommand, type ResponseOf } from '../client/call-command.ts'
import { callingCommand } from '../client/running.ts'
import { EXIT } from '../exit-codes.ts'
import { facts } from '../terminal/facts.ts'
import type { Screen } from '../terminal/screen.ts'
import { moment } from '../terminal/words.ts'
import { pageTable } from './page.ts'

type ShownWebhook = ResponseOf<'getWebhook'> & { readonly secret?: string | undefined }

const ID = { args: ['webhook_id'] } as const

/** `deputy webhooks`: creates, watches and repairs webhooks. */
export function addWebhooksCommand(program: Command): void {
  const webhooks = callingCommand(program, 'webhooks', 'send events to your own services')
  addCallCommand(webhooks, { name: 'list', operation: 'listWebhooks', say: webhookTable, isDefault: true })
  addCallCommand(webhooks, { name: 'create', operation: 'createWebhook', args: ['url'], say: webhookFacts })
  addCallCommand(webhooks, { name: 'show', operation: 'getWebhook', ...ID, say: webhookFacts })
  addCallCommand(webhooks, {
    name: 'test',
    operation: 'testWebhook',
    ...ID,
    say: testFacts,
    exit: ({ delivered }) => (delivered ? EXIT.done : EXIT.refused),
  })
  addCallCommand(webhooks, {
    name: 'deliveries',
    operation: 'listWebhookDeliveries',
    ...ID,
    say: deliveryTable,
  })
  addCallCommand(webhooks, {
    name: 'retry',
    operation: 'retryWebhookDelivery',
    args: ['webhook_id', 'event_id'],
    say: ({ event_id, state }) => `${event_id}\n${state}\n`,
  })
  addCallCommand(webhooks, { name: 'replay', operation: 'replayWebhook', ...ID, say: webhookFacts })
  addCallCommand(webhooks, { name: 'rotate', operation: 'rotateWebhookSecret', ...ID, say: webhookFacts })
  addCallCommand(webhooks, { name: 'enable', operation: 'enableWebhook', ...ID, say: webhookFacts })
  addCallCommand(webhooks, {
    name: 'remove',
    operation: 'deleteWebhook',
    ...ID,
    say: ({ webhook_id }) => `${webhook_id}\nremoved\n`,
  })
}

function webhookFacts(webhook: ShownWebhook): string {
  const { failing_since, disabled_at, disabled_reason } = webhook
  return facts([
    ['webhook', webhook.webhook_id],
    ['url', webhook.url],
    ['secret', webhook.secret],
    ['public key', webhook.public_key],
    ['events', webhook.events.join(', ')],
    ['agent', webhook.agent_id],
    ['workflow', webhook.provenance_ref],
    ['format', webhook.format],
    ['status', disabled_reason === undefined ? webhook.status : `${webhook.status} (${disabled_reason})`],
    ['failing since', failing_since === undefined ? undefined : moment(failing_since)],
    ['disabled', disabled_at === undefined ? undefined : moment(disabled_at)],
    ['about', webhook.description],
  ])
}

function testFacts(answer: ResponseOf<'testWebhook'>): string {
  return facts([
    ['event', answer.event_id],
    ['result', answer.delivered ? 'delivered' : 'not delivered'],
    ['status', answer.status?.toString()],
    ['error', answer.error],
    ['answer', answer.answer],
    ['took', `${answer.took_ms} ms`],
  ])
}

function webhookTable(answer: ResponseOf<'listWebhooks'>, screen: Screen): string {
  return pageTable(answer, 'webhooks', screen, [
    { title: 'id', cell: ({ webhook_id }) => webhook_id, whole: true },
    { title: 'status', cell: ({ status }) => status, whole: true },
    { title: 'url', cell: ({ url }) => url },
    { title: 'events', cell: ({ events }) => events.join(', ') },
  ])
}

function deliveryTable(answer: ResponseOf<'listWebhookDeliveries'>, screen: Screen): string {
  return pageTable(answer, 'deliveries', screen, [
    { title: 'event', cell: ({ event_id }) => event_id, whole: true },
    { title: 'state', cell: ({ state }) => state, whole: true },
    { title: 'attempts', cell: ({ attempts }) => String(attempts), whole: true },
    { title: 'status', cell: ({ status, error }) => status?.toString() ?? error ?? '' },
    {
      title: 'last attempt',
      cell: ({ last_attempt_at }) => (last_attempt_at === undefined ? '' : moment(last_attempt_at)),
      whole: true,
    },
  ])
}
