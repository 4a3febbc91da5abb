import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aTestApp, type TestApp } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const OTHER = '4bf92f3577b34da6a3ce929d0e0e4736'
const of = (trace_id: string, parent = 'b7ad6b7169203331') => `00-${trace_id}-${parent}-01`

/** Records an action and returns its record. */
async function recorded(service: TestApp, headers?: Record<string, string>) {
  const { body: token } = await service.post('/v1/vat/issue/l1', anIssueRequest({}))
  const action = { vat_jti: token.jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const { body } = await service.post('/v1/vat/record/action', action, headers)
  return (await service.get(`/v1/vat/aar/${body.aar_id}`)).body
}

describe('the trace id of a request', () => {
  const CASES = [
    ['is kept on the record', of(TRACE), TRACE],
    ['is kept when two name it and agree', `${of(TRACE)}, ${of(TRACE, '00f067aa0ba902b7')}`, TRACE],
    ['is not guessed when two name different ones', `${of(TRACE)}, ${of(OTHER)}`, undefined],
    ['is none when one of two is malformed', `${of(TRACE)}, x`, undefined],
    ['has an id that is not all zeros', of('0'.repeat(32)), undefined],
    ['has a parent that is not all zeros', of(TRACE, '0'.repeat(16)), undefined],
    ['is not of the version that does not exist', of(TRACE).replace('00', 'ff'), undefined],
    ['is spelled in small letters', of(TRACE.toUpperCase()), undefined],
  ] as const

  for (const [name, traceparent, expected] of CASES)
    test(name, async (context) => {
      const { trace_id } = await recorded(await aTestApp(context), { traceparent })
      assert.equal(trace_id, expected)
    })

  test('appears in the log line, and only if there is one', async (context) => {
    const lines: string[] = []
    const service = await aTestApp(context, { onLog: (line) => lines.push(line) })
    await recorded(service, { traceparent: of(TRACE) })
    await recorded(service)
    const answered = lines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ path }) => path === '/v1/vat/record/action')
    assert.deepEqual(
      answered.map(({ trace_id, request_id }) => [trace_id, typeof request_id]),
      [
        [TRACE, 'string'],
        [undefined, 'string'],
      ],
    )
  })
})
