import { cloudEventOf, type DeputyEvent, type EventFormat, ocsfRow } from '@deputize/protocol'
import type { LoggedChange } from './change.ts'

/** An event in the form that the caller wants. */
export function eventView(event: DeputyEvent, format: EventFormat, source: string) {
  if (format === 'ocsf') return ocsfRow(event, { issuer: source })
  return format === 'cloudevents' ? cloudEventOf(event, source) : event
}

const written = {
  deputy: new WeakMap<LoggedChange, string>(),
  cloudevents: new WeakMap<LoggedChange, string>(),
  ocsf: new WeakMap<LoggedChange, string>(),
} as const satisfies Record<EventFormat, WeakMap<LoggedChange, string>>

/**
 * A change as a server-sent event, for any number of receivers. Returns a promise only if something must be looked up.
 */
export function eventFrame(
  change: LoggedChange,
  format: EventFormat,
  source: string,
): string | Promise<string> {
  return (
    written[format].get(change) ??
    change.event().then((event) => {
      const text = `id: ${change.number}\ndata: ${JSON.stringify(eventView(event, format, source))}\n\n`
      written[format].set(change, text)
      return text
    })
  )
}
