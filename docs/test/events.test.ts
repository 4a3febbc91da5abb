import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { EVENT_SUMMARIES } from '@deputize/protocol'

const page = readFileSync(new URL('../reference/events.md', import.meta.url), 'utf8')

describe('the reference of events', () => {
  test('lists every type with what it says, and invents none', () => {
    const rows = [...page.matchAll(/^\| `([a-z_.]+\.[a-z_]+)` \| (.+?) \| .+ \|$/gm)].map(
      ([, type, says]) => [type, says],
    )
    assert.deepEqual(Object.fromEntries(rows), EVENT_SUMMARIES)
  })
})
