import type { Handler } from '../operation-context.ts'

export const listPolicies: Handler<'listPolicies'> = async (_call, { policies }) => ({
  data: policies.map(({ name, version, title, note, rules }) => ({
    name,
    version,
    title,
    note,
    rule_count: rules.length,
  })),
})
