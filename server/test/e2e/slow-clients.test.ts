import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { statusOf } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { logSize } from './audit-store.ts'

const SLOW = 100
const PATIENCE_MS = 22_000

test('clients that never finish a request are disconnected and delay no one else', async (t) => {
  const directory = temporaryDirectory(t)
  const program = await aProgram(t, directory)
  const { port, host } = new URL(program.url)
  const head = `POST /v1/vat/issue/l1 HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\n`
  const beginnings = [head, `${head}Content-Length: 100\r\n\r\n{"agent_id":`]

  const endings = Array.from({ length: SLOW }, (_, index) => {
    return new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), '127.0.0.1')
      t.after(() => {
        socket.destroy()
      })
      let received = ''
      socket.setEncoding('latin1')
      socket.setTimeout(PATIENCE_MS, () => reject(new Error('it was never sent away')))
      socket.on('data', (chunk) => {
        received += chunk
      })
      socket.on('error', () => {}) // a connection that is cut is closed, too
      socket.on('close', () => resolve(received))
      socket.write(beginnings[index % beginnings.length] ?? '')
    })
  })

  const client = httpClient(t, program.url)
  for (let n = 0; n < 50; n++)
    assert.equal((await client.post('/v1/vat/issue/l1', anIssueRequest())).status, 200)
  for (const ending of await Promise.all(endings)) assert.equal(statusOf(ending), 408, ending)
  assert.equal(logSize(directory), 50)
})
