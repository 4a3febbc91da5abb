import type { WidgetTexts } from './locales/en.ts'
import { filled } from './locales/texts.ts'

/** The token that a session asks for, as far as a person is shown it. */
export interface AskedToken {
  readonly agent_id: string
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  readonly constraints?: { readonly max_spend_usd?: number }
  readonly expires_in?: number
  readonly purpose?: string
}

/** One hour, as the service gives without another wish. */
const DEFAULT_LIFETIME_S = 3600

/** What the token allows, as pairs of a word and its value. */
export function requestWords(asked: AskedToken, texts: WidgetTexts, language: string): [string, string][] {
  const { actions, resources, constraints, expires_in = DEFAULT_LIFETIME_S, purpose } = asked
  const limit = constraints?.max_spend_usd
  return [
    [texts.consent_may, actions.join(', ')],
    [texts.consent_on, resources.join(', ')],
    [texts.consent_limit, limit === undefined ? texts.consent_no_limit : dollars(limit, language)],
    [texts.consent_until, lifetime(expires_in, texts)],
    ...(purpose === undefined ? [] : [[texts.consent_for, purpose] as [string, string]]),
  ]
}

function dollars(amount: number, language: string): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency: 'USD' }).format(amount)
}

function lifetime(seconds: number, texts: WidgetTexts): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120 && minutes !== 60) return filled(texts.duration_minutes, { count: minutes })
  return filled(texts.duration_hours, { count: Math.round(minutes / 6) / 10 })
}
