/** An example of each type of event, for the documentation. */
import type { TSchema } from 'typebox'
import type { DeputyEvent } from './event.ts'
import { EVENT_DATA, type EventType } from './event-data.ts'
import { eventId } from './event-id.ts'

/** Optional members that are usually present. */
const USUAL: readonly string[] = ['vat_jti', 'parent_jti', 'renews_jti', 'spend_usd', 'trust_score', 'by']

/** Examples for members whose schema has none. */
const SAID: Readonly<Record<string, unknown>> = {
  scope: { resources: ['calendar:events'], actions: ['read', 'write'] },
  reasons: ['resource_not_in_scope'],
  percent: 80,
  by: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  decided_by: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  rater_assurance: 'L2',
  kid: 'k1-5f2c',
  kind: 'api_key',
  entry_ref: 'sha256:fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9',
  removed: false,
  weight: 0.8,
  base: 0.5,
}

const OF_TYPE: Partial<Record<EventType, Readonly<Record<string, unknown>>>> = {
  'approval.escalated': {
    to: ['sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  },
  'budget.exhausted': { percent: 100 },
  'vouch.withdrawn': { by: 'person' },
  'webhook.disabled': { webhook_id: 'whk_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r', kind: 'webhook' },
  'access.changed': { mode: 'keyed' },
  'deployment.restored': { continues: false },
  'registry.changed': {
    by: 'key:sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  },
}

const EXAMPLE_INDEX = 1204

export function exampleEvent(type: EventType): DeputyEvent {
  const members: Readonly<Record<string, TSchema>> = EVENT_DATA[type]
  const shown = Object.entries(members).filter(
    ([name, schema]) => !('~optional' in schema) || USUAL.includes(name),
  )
  const isOfWorkflow = 'vat_jti' in members
  return {
    id: eventId(EXAMPLE_INDEX),
    type,
    log_index: EXAMPLE_INDEX,
    occurred_at: '2027-01-31T12:00:00.000Z',
    tenant_id: 'default',
    ...(isOfWorkflow && { provenance_ref: 'prov_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r' }),
    data: Object.fromEntries(
      shown.map(([name, schema]) => [name, OF_TYPE[type]?.[name] ?? exampleOf(name, schema)]),
    ),
  } as DeputyEvent // a test compares each example with its schema
}

function exampleOf(name: string, schema: TSchema): unknown {
  const { examples, enum: words }: { examples?: unknown[]; enum?: unknown[] } = schema
  return SAID[name] ?? examples?.[0] ?? words?.[0]
}
