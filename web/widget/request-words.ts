import type { WidgetTexts } from './locales/en.ts'
import { filled } from './locales/texts.ts'

/** The token that a session requests, as far as it is shown to a person. */
export interface AskedToken {
  readonly agent_id: string
  readonly resources: readonly string[]
  readonly actions: readonly string[]
  readonly expires_in?: number
  readonly purpose?: string
}

/** One hour, the service's default. */
const DEFAULT_LIFETIME_S = 3600

/** What the token allows, as pairs of a word and its value. The service describes its limits in sentences. */
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
