import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { NotConfirmed, UsageError } from '../src/client/exit.ts'
import { assertErasureWanted, erasureWords } from '../src/commands/people.ts'
import { assertWanted, stopWords } from '../src/commands/revoke.ts'

const PREVIEW = {
  jti: 'vat_root_1',
  already_revoked: false,
  live_tokens: 3,
  agents: ['agent:buyer', 'agent:courier'],
  pending_records: 1,
  reserved_usd: 4,
}

/** A terminal at which a person types an answer as soon as they are asked. */
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

  test('stops only after yes', async () => {
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

  test('works even if no preview is available', async () => {
    const away = { previewRevocation: () => Promise.reject(new Error('away')) }
    const terminal = aTerminal('y')
    await assertWanted({}, 'vat_root_1', away, terminal)
    assert.match(terminal.shown(), /Stops the token, the one that it renews, and every token below them/)
  })
})

describe('erasing a person from a terminal', () => {
  const PERSON = {
    human_ref: 'sha256:9f2c',
    assurance_levels: ['L1' as const],
    tokens: 3,
    live_tokens: 2,
    workflows: 1,
  }
  const people = { getHuman: async () => PERSON }

  test('says first what is lost, and that it is final', () => {
    assert.equal(
      erasureWords(PERSON),
      'Revokes 2 live tokens and destroys the personal data of a person with 1 workflow; cannot be undone.',
    )
    assert.equal(
      erasureWords({ live_tokens: 0, workflows: 2 }),
      'Destroys the personal data of a person with 2 workflows; cannot be undone.',
    )
  })

  test('erases only after yes', async () => {
    const terminal = aTerminal('y')
    await assertErasureWanted({}, 'sha256:9f2c', people, terminal)
    assert.match(terminal.shown(), /^Revokes 2 live tokens .*\nErase\? \[y\/N\] $/s)
    for (const answer of ['', 'n', undefined])
      await assert.rejects(
        assertErasureWanted({}, 'sha256:9f2c', people, aTerminal(answer)),
        (error) => error instanceof NotConfirmed && error.message === 'Nothing was erased.',
      )
  })

  test('needs --yes if nobody can be asked', async () => {
    await assertErasureWanted({ yes: true }, 'sha256:9f2c', people, aTerminal('n', false))
    for (const [options, isTTY] of [
      [{}, false],
      [{ json: true }, true],
    ] as const)
      await assert.rejects(
        assertErasureWanted(options, 'sha256:9f2c', people, aTerminal('y', isTTY)),
        UsageError,
      )
  })
})
