const PREFIX = 'evt_'

/** The ID of the event with a number. */
export function eventId(number: number): string {
  return `${PREFIX}${number}`
}

/** The number in the ID of an event. */
export function eventNumber(event_id: string): number {
  return Number(event_id.slice(PREFIX.length))
}
