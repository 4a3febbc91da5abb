/** What a rule watches. */
export const ALERT_CONDITIONS = [
  'denials',
  'budget',
  'rejected',
  'chain',
  'new_use',
  'unusual_hours',
  'spend_rate',
] as const
export type AlertConditionKind = (typeof ALERT_CONDITIONS)[number]

/** What an alert does: notify people, make the agent ask before it acts, or suspend it. */
export const ALERT_EFFECTS = ['notify', 'ask', 'suspend'] as const
export type AlertEffect = (typeof ALERT_EFFECTS)[number]
