import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { OPERATIONS as ROWS } from '@deputize/protocol'
import { deputy } from '@deputize/sdk'
import { formattedOperations, OPERATIONS_FILE } from '../build/write-operations.ts'

test('the generated operations are those of the protocol: run npm run generate', async () => {
  assert.equal(readFileSync(OPERATIONS_FILE, 'utf8'), await formattedOperations())
})

test('every operation of the protocol is a method of the client, and nothing else is but what the client adds', () => {
  const client = deputy({ url: 'http://127.0.0.1:1' })
  assert.deepEqual(Object.keys(client).sort(), [...Object.keys(ROWS), 'url', 'withAuthority'].sort())
})
