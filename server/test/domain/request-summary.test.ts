import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { requestSummary } from '../../src/domain/approvals/request-summary.ts'

const summaryOf = (metadata: unknown) => requestSummary(JSON.stringify(metadata))

describe('the summary of a request', () => {
  test('begins with the call that a guard describes', () => {
    assert.deepEqual(
      summaryOf({
        invoice: 7,
        request: {
          method: 'POST',
          target: '/pay/anna?x=1',
          route: '/pay/:to',
          body_sha256: 'sha256:ab',
          summary: 'Pay $10 to anna',
        },
      }),
      [
        'Pay $10 to anna',
        'Request: POST /pay/anna?x=1',
        'route: /pay/:to',
        'body_sha256: sha256:ab',
        'invoice: 7',
      ],
    )
  })

  test('shows a tool with its arguments, one line each', () => {
    assert.deepEqual(
      summaryOf({ request: { tool: 'send_mail', arguments: { to: ['a', 'b'], body: { text: 'hi' } } } }),
      ['Tool: send_mail', 'arguments.to: ["a","b"]', 'arguments.body.text: hi'],
    )
  })

  test('shows hidden characters and letters of another script', () => {
    assert.deepEqual(summaryOf({ to: 'evil\u202Egnp.exe', 'p\u0430y': '\u001b[2J\n' }), [
      'to: evil⟨U+202E⟩gnp.exe',
      'p⟨U+0430⟩y: ⟨U+001B⟩[2J⟨U+000A⟩',
    ])
  })

  test('shows the beginning and the end of a long value', () => {
    const [line = ''] = summaryOf({ text: `first${'x'.repeat(3000)}last` })
    assert.ok(line.startsWith('text: first') && line.endsWith('last') && line.length < 1300, line)
    assert.deepEqual(summaryOf({ request: { arguments: { text: { truncated: 'Dear', length: 5000 } } } }), [
      'arguments.text: Dear… (5000 characters)',
    ])
  })

  test('is bounded and contains no hidden characters for any metadata', () => {
    fc.assert(
      fc.property(fc.json(), (metadata) => {
        const lines = requestSummary(metadata)
        assert.ok(lines.length <= 40)
        for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}\p{Cf}]/u)
      }),
    )
  })
})
