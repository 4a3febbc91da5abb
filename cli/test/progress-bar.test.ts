import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { entryProgress } from '../src/verify/progress-bar.ts'

function shownOn(isTTY: boolean): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY })
  const bar = entryProgress(stream)
  bar.show({ checked: 250_000, of: 1_000_000 })
  bar.clear()
  return String(stream.read() ?? '')
}

test('the progress bar is shown on a terminal and cleared at the end', () => {
  const shown = shownOn(true)
  assert.match(shown, /██████░+ {2}25 % {2}250,000 of 1,000,000 entries {2}[\d,]+\/s/)
  assert.ok(shown.endsWith('\r\u001b[K'))
})

test('the progress bar prints nothing without a terminal', () => {
  assert.equal(shownOn(false), '')
})
