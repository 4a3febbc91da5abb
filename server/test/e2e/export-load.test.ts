import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'

const RECORDS = 20_000
const ACTION = { action: 'read', resource: 'calendar:events', result: 'success' }

test('other requests are answered while 20,000 records are exported, and the export stays a snapshot', async (t) => {
  const program = await aProgram(t, temporaryDirectory(t))
  const client = httpClient(t, program.url)
  const { jti, provenance_ref } = (await client.post('/v1/vat/issue/l1', anIssueRequest())).body
  const item = { vat_jti: jti, ...ACTION, metadata: { text: 'x'.repeat(500) } }
  const items = Array.from({ length: 1000 }, () => item)
  for (let written = 0; written < RECORDS; written += 1000)
    await client.post('/v1/vat/record/batch', { items })

  for (const format of ['ndjson', 'csv', 'prov-json']) {
    const url = `${program.url}/v1/vat/aar/provenance/${provenance_ref}/export?format=${format}`
    const [response]: [IncomingMessage] = (await once(get(url), 'response')) as [IncomingMessage]
    const before = (await client.get(`/v1/vat/aar/provenance/${provenance_ref}`)).body.total_records
    let text = ''
    const receiving = (async () => {
      for await (const chunk of response.setEncoding('utf8')) text += chunk
    })()
    let answered = 0
    let isDone = false
    receiving.finally(() => {
      isDone = true
    })
    while (!isDone) {
      const read = await client.get(`/v1/vat/tokens/${jti}`)
      const written = await client.post('/v1/vat/record/action', { vat_jti: jti, ...ACTION })
      assert.deepEqual([read.status, written.status], [200, 200])
      answered += 1
    }
    await receiving
    assert.equal(response.complete, true)
    assert.ok(answered >= 10, `only ${answered} pairs of requests were answered during the export`)
    const exported =
      format === 'prov-json'
        ? Object.keys(JSON.parse(text).activity).length
        : text.trimEnd().split('\n').length - (format === 'csv' ? 1 : 0)
    assert.ok(exported >= RECORDS && exported <= before, `${exported} of ${before} records`)
  }
})
