import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS as ROWS } from '@deputize/protocol'
import { deputy } from '@deputize/sdk'

test('every operation of the protocol is a method of the client, and the client adds only url, events and withAuthority', () => {
  const client = deputy({ url: 'http://127.0.0.1:1' })
  assert.deepEqual(
    Object.keys(client).sort(),
    [...Object.keys(ROWS), 'url', 'events', 'withAuthority'].sort(),
  )
})
