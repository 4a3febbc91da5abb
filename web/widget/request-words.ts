import type { WidgetTexts } from './locales/en.ts'
import { filled } from './locales/texts.ts'

/** The token that a session asks for, as far as a person is shown it. */
export interface AskedToken {
  readonly agent_id: string
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  readonly expires_in?: number
  readonly purpose?: string
}

/** One hour, as the service gives without another wish. */
const DEFAULT_LIFETIME_S = 3600

/** What the token allows, as pairs of a word and its value. Its limits are sentences of the service. */
export function requestWords(asked: AskedToken, texts: WidgetTexts): [string, string][] {
  const { actions, resources, expires_in = DEFAULT_LIFETIME_S, purpose } = asked
  return [
    [texts.consent_may, actions.join(', ')],
    [texts.consent_on, resources.join(', ')],
    [texts.consent_until, lifetime(expires_in, texts)],
    ...(purpose === undefined ? [] : [[texts.consent_for, purpose] as [string, string]]),
  ]
}

function lifetime(seconds: number, texts: WidgetTexts): string {
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 120 && minutes !== 60) return filled(texts.duration_minutes, { count: minutes })
  return filled(texts.duration_hours, { count: Math.round(minutes / 6) / 10 })
}
