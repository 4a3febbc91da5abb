import type { AlertRule } from '../domain/alert.ts'
import type { RegistryReader } from '../store/port/registry.ts'

export interface KnownRule {
  readonly rule_id: string
  readonly tenant_id: string
  readonly rule: AlertRule
  readonly log_index: number
}

/** How many rules a tenant may have. Each is evaluated about once a second. */
export const MOST_RULES = 50

const PAGE = 200

/** Returns all rules of a tenant, or of every tenant, newest first. */
export async function readRules(registry: RegistryReader, tenant_id?: string): Promise<KnownRule[]> {
  const rules: KnownRule[] = []
  let before: number | undefined
  do {
    const page = await registry.list('alert_rule', { tenant_id }, { limit: PAGE, before })
    for (const { id, tenant_id: owner, document, log_index } of page.entries)
      rules.push({ rule_id: id, tenant_id: owner, rule: ruleOf(document), log_index })
    before = page.before
  } while (before !== undefined)
  return rules
}

/** Reads a rule. Only operations write such documents. */
export function ruleOf(document: string): AlertRule {
  return JSON.parse(document)
}
