import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { aTestApp, TEST_URL } from '@deputize/testing/a-test-app.ts'
import { eventually } from '@deputize/testing/eventually.ts'

test('a caller who hangs up in the middle of a body is not logged as a failure', async (context) => {
  const lines: string[] = []
  const service = await aTestApp(context, { onLog: (line) => lines.push(line) })
  const url = new URL(await service.listen())
  const socket = connect(Number(url.port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /v1/vat/issue/l1 HTTP/1.1\r\nHost: ${url.host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"developer`,
  )
  await once(service.app.server, 'request')
  socket.destroy()
  await eventually('the line about the caller', () => lines.some((line) => line.includes('caller hung up')))
  assert.deepEqual(
    lines.filter((line) => JSON.parse(line).level >= 40),
    [],
  )
})

test('only answers at an https address have the Strict-Transport-Security header', async (context) => {
  const plain = await aTestApp(context)
  assert.equal((await plain.get('/healthz')).headers['strict-transport-security'], undefined)
  const secure = await aTestApp(context, { access: 'keyed', public_url: 'https://deputy.example.com' })
  for (const path of ['/healthz', '/sign-in', '/v1/vat/tokens', '/nowhere']) {
    const response = await secure.app.inject({ url: path, headers: { host: 'deputy.example.com' } })
    assert.equal(response.headers['strict-transport-security'], 'max-age=31536000', path)
  }
  assert.match(TEST_URL, /^http:/)
})
