import { pageRequest } from '../../lists/pages.ts'
import type { Handler } from '../../operation-context.ts'
import { assertDesk } from '../../safety/safety-desk.ts'
import { pageAnswer } from '../../views/page-answer.ts'
import { alertView, type DuressAlertView, duressNoteIn } from './duress-alerts.ts'

export const listDuressAlerts: Handler<'listDuressAlerts'> = async ({ caller, query }, context) => {
  assertDesk(caller)
  const filter = { tenant_id: caller.tenant_id }
  const { entries, before } = await context.reader.registry.list('review', filter, pageRequest(query))
  const alerts: DuressAlertView[] = []
  for (const entry of entries) {
    const note = duressNoteIn(entry)
    if (note !== undefined) alerts.push(await alertView(entry, note, context))
  }
  return pageAnswer({ entries: alerts, before }, (alert) => alert)
}
