import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type DeputyEvent, EVENT_TYPES, type EventType, eventSchema } from '@deputize/protocol'
import type { TestScope } from '@deputize/testing/scope.ts'
import { eventTypeOf, UNTOLD, UNTOLD_ENTRIES } from '../../src/events/event.ts'
import { EventNumbers } from '../../src/events/event-numbers.ts'
import { EventFeed } from '../../src/events/feed.ts'
import { compileSchema } from '../../src/http/validation.ts'
import { openKeyRing } from '../../src/keys/key-ring.ts'
import type { LeafType } from '../../src/log/leaf.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { aRichStore } from '../check/rich-store.ts'

/** Types whose leaves the rich store doesn't have. Other tests cause them. */
const NOT_IN_RICH_STORE: readonly EventType[] = []

async function allEvents(scope: TestScope): Promise<{ events: DeputyEvent[]; leaves: { type: LeafType }[] }> {
  const { directory } = await aRichStore(scope)
  const keys = openKeyRing(directory, Date.now(), false)
  const reader = sqliteReadStore(join(directory, 'deputy.db'), keys.vault_key)
  scope.after(() => reader.close())
  const feed = new EventFeed({ reader, numbers: new EventNumbers(), onTrouble: assert.fail })
  const { changes, log_size } = await feed.read(0, Number.MAX_SAFE_INTEGER)
  const events: DeputyEvent[] = []
  for (const change of changes) events.push(await change.event())
  const leaves = (await reader.log.leaves(0, log_size)).map((text) => JSON.parse(text))
  return { events, leaves }
}

describe('the events of a store with rows in every table', () => {
  test('fit their schemas, and every kind of leaf becomes an event or has a reason not to', async (t) => {
    const { events, leaves } = await allEvents(t)
    for (const event of events) {
      const validate = compileSchema(eventSchema(event.type), 'body')
      assert.ok(validate(event), `${JSON.stringify(validate.errors)} ${JSON.stringify(event)}`)
      assert.doesNotMatch(JSON.stringify(event), /salt|digest|jwt_hash|claims_hash|plan the week/)
    }
    const told = new Set(events.map(({ type }) => type))
    assert.deepEqual(
      EVENT_TYPES.filter((type) => !told.has(type)),
      NOT_IN_RICH_STORE,
    )
    const untold = leaves.filter((leaf) => eventTypeOf(leaf) === undefined)
    assert.equal(events.length + untold.length, leaves.length)
    for (const { type, ...members } of untold)
      assert.ok(
        type in UNTOLD ||
          (type === 'registry.changed' && String(Reflect.get(members, 'kind')) in UNTOLD_ENTRIES),
        type,
      )
  })

  test('every type of leaf in the code becomes a documented type of event, or has a reason not to', () => {
    const source = readFileSync(join(import.meta.dirname, '../../src/log/leaf.ts'), 'utf8')
    const list = source.slice(
      source.indexOf('export type LeafType'),
      source.indexOf('/** Leaves that revoke'),
    )
    const types = [...list.matchAll(/'([a-z_.]+)'/g)].map(([, type]) => type as LeafType)
    assert.ok(types.length > 30)
    for (const type of types) {
      const told = eventTypeOf({ type })
      assert.ok(told === undefined ? type in UNTOLD : EVENT_TYPES.includes(told), type)
    }
  })
})
