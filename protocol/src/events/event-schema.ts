import { Type } from '../api/schema-type.ts'
import { Closed } from '../api/shapes.ts'
import { type DeputyEvent, EVENT_ENVELOPE } from './event.ts'
import type { EventType } from './event-data.ts'
import { EVENT_SUMMARIES, EVENT_TYPES, eventDataSchema, eventSchemaName } from './event-types.ts'

/** The schema of a whole event of one type. */
export function eventSchema(type: EventType) {
  return Closed(
    {
      ...EVENT_ENVELOPE,
      type: Type.Literal(type, { description: 'Type of the event.' }),
      data: eventDataSchema(type),
    },
    { title: eventSchemaName(type), description: EVENT_SUMMARIES[type] },
  )
}

/** An event of any type. Types and members may be added: ignore those that you do not know. */
export const EventShape = Type.Unsafe<DeputyEvent>({
  title: 'DeputyEvent',
  description: 'Something that happened: an entry of the log, as you may see it.',
  anyOf: EVENT_TYPES.map(eventSchema),
})
