import type { Handler } from '../operation-context.ts'
import { ownWebhook } from './webhook-entry.ts'

export const testWebhook: Handler<'testWebhook'> = async (call, context) => {
  const { entry } = await ownWebhook(call.params.webhook_id, call, context)
  const started_ms = context.clock()
  const { event_id, result } = await context.events.deliveries.sendTest(entry)
  return {
    delivered: result.outcome === 'delivered',
    event_id,
    ...('status' in result && result.status !== undefined && { status: result.status }),
    ...('error' in result && { error: result.error }),
    ...('answer' in result && result.answer !== undefined && { answer: result.answer }),
    took_ms: context.clock() - started_ms,
  }
}
