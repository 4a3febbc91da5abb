import { ruleOf } from '../../alerts/alert-rules.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { ruleView } from './alert-rule-entry.ts'

export const listAlertRules: Handler<'listAlertRules'> = async ({ caller, query }, { reader }) => {
  const { tenant_id } = caller
  const page = await reader.registry.list('alert_rule', { tenant_id }, pageRequest(query))
  return pageAnswer(page, ({ id, document, log_index }) =>
    ruleView({ rule_id: id, rule: ruleOf(document), log_index }),
  )
}
