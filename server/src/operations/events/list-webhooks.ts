import { WEBHOOK_KIND } from '../../events/webhooks/webhook-document.ts'
import { visibleTenant } from '../lists/list-visibility.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { webhookView } from '../views/webhook-view.ts'

export const listWebhooks: Handler<'listWebhooks'> = async (
  { query, caller },
  { reader, events: { deliveries } },
) => {
  const page = await reader.registry.list(WEBHOOK_KIND, visibleTenant(caller), pageRequest(query))
  const states = await Promise.all(page.entries.map(({ id }) => deliveries.store.state(id)))
  const stateOf = new Map(page.entries.map(({ id }, place) => [id, states[place]]))
  return pageAnswer(page, (entry) => webhookView(entry, stateOf.get(entry.id)))
}
