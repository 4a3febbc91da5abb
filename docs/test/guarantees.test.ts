import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OPERATIONS } from '@deputize/protocol'

const page = readFileSync(new URL('../reference/guarantees.md', import.meta.url), 'utf8')

test('the reference of guarantees lists every operation of the stop lane, and no other', () => {
  const [, section = ''] = /^\| what they end \|.*\n\|---\|---\|\n((?:\|.*\n)+)/m.exec(page) ?? []
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, id = '']) => id)
  const stops = Object.entries(OPERATIONS)
    .filter(([, row]) => 'lane' in row && row.lane === 'stop')
    .map(([id]) => id)
  assert.ok(stops.length > 20)
  assert.deepEqual(listed.sort(), stops.sort())
})
