import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { addMark, claimMark } from '../../src/operations/external/due-marks.ts'

test('a due mark is claimed by only one of two nodes, even if the other has read it before', async (t) => {
  const { context } = await aTestApp(t)
  const { ephemeral, clock } = context
  await addMark('a check', clock(), context)
  let first: unknown
  const slow = {
    clock,
    ephemeral: {
      ...ephemeral,
      async get(...asked: Parameters<typeof ephemeral.get>) {
        const known = await ephemeral.get(...asked)
        first = await claimMark('a check', context)
        return known
      },
    },
  }
  assert.equal(await claimMark('a check', slow), undefined)
  assert.notEqual(first, undefined)
  assert.equal(await claimMark('a check', context), undefined)
})
