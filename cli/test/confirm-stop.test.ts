import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { NotConfirmed } from '../src/client/exit.ts'
import { assertWanted, stopWords } from '../src/commands/revoke.ts'

const PREVIEW = {
  jti: 'vat_root_1',
  already_revoked: false,
  live_tokens: 3,
  agents: ['agent:buyer', 'agent:courier'],
  pending_records: 1,
  reserved_usd: 4,
}

/** A terminal at which somebody types an answer as soon as they are asked. */
function aTerminal(answer: string | undefined, isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  let shown = ''
  let isAnswered = false
  output.on('data', (text) => {
    shown += text
    if (isAnswered || !shown.includes('[y/N]')) return
    isAnswered = true
    if (answer === undefined) input.end()
    else input.write(`${answer}\n`)
  })
  return { input, output, shown: () => shown }
}

const client = { previewRevocation: async () => PREVIEW }

describe('stopping agents from a terminal', () => {
  test('says first what stops, what is freed, and that it is final', () => {
    assert.equal(
      stopWords(PREVIEW),
      'Stops 2 agents (buyer, courier) with 3 tokens, 1 open action, frees $4.00; cannot be undone.',
    )
    const one = { ...PREVIEW, live_tokens: 1, agents: ['agent:bot'], pending_records: 0, reserved_usd: 0 }
    assert.equal(stopWords(one), 'Stops 1 agent (bot) with 1 token; cannot be undone.')
    assert.equal(stopWords({ ...PREVIEW, already_revoked: true }), 'Nothing is left to stop.')
  })

  test('goes on only after yes', async () => {
    for (const answer of ['y', 'YES', ' yes '])
      await assertWanted({}, 'vat_root_1', client, aTerminal(answer))
    for (const answer of ['', 'n', 'yep', 'no', undefined])
      await assert.rejects(assertWanted({}, 'vat_root_1', client, aTerminal(answer)), NotConfirmed)
  })

  test('does not ask with --yes, in a script, for JSON, or when nothing is left', async () => {
    const never = aTerminal('n')
    await assertWanted({ yes: true }, 'vat_root_1', client, never)
    assert.match(never.shown(), /^Stops 2 agents[^?]*$/)
    await assertWanted({}, 'vat_root_1', client, aTerminal('n', false))
    await assertWanted({ json: true }, 'vat_root_1', client, aTerminal('n'))
    const revoked = { previewRevocation: async () => ({ ...PREVIEW, already_revoked: true }) }
    await assertWanted({}, 'vat_root_1', revoked, aTerminal('n'))
  })

  test('works while no preview can be made', async () => {
    const away = { previewRevocation: () => Promise.reject(new Error('away')) }
    const terminal = aTerminal('y')
    await assertWanted({}, 'vat_root_1', away, terminal)
    assert.match(terminal.shown(), /Stops the token and every token below it/)
  })
})
