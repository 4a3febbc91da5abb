import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isFromSlack } from '../../src/messages/slack-signature.ts'

/** The example in Slack's documentation "Verifying requests from Slack". */
const SECRET = '8f742231b10e8888abcd99yyyzzz85a5'
const BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
const CALL = {
  timestamp: '1531420618',
  signature: 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  body: Buffer.from(BODY),
}
const AT_MS = 1_531_420_618_000

describe('a call from Slack', () => {
  test('is accepted in the published example', () => {
    assert.equal(isFromSlack(CALL, SECRET, AT_MS), true)
    assert.equal(isFromSlack(CALL, SECRET, AT_MS + 299_000), true)
    assert.equal(isFromSlack(CALL, SECRET, AT_MS - 299_000), true)
  })

  test('is refused if anything differs', () => {
    const changed = Buffer.from(BODY.replace('text=', 'text=x'))
    for (const call of [
      { ...CALL, body: changed },
      { ...CALL, timestamp: '1531420619' },
      { ...CALL, timestamp: undefined },
      { ...CALL, timestamp: 'now' },
      { ...CALL, signature: undefined },
      { ...CALL, signature: `${CALL.signature}0` },
      { ...CALL, signature: CALL.signature.replace('v0', 'v1') },
    ])
      assert.equal(isFromSlack(call, SECRET, AT_MS), false)
    assert.equal(isFromSlack(CALL, `${SECRET}x`, AT_MS), false)
  })

  test('is refused if it is more than five minutes older or newer', () => {
    assert.equal(isFromSlack(CALL, SECRET, AT_MS + 301_000), false)
    assert.equal(isFromSlack(CALL, SECRET, AT_MS - 301_000), false)
  })
})
