import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { DeputyError, type DeputyEvent, deputy } from '@deputize/sdk'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'

const { client, url, token } = await anOpenDeployment({ after })
const READ = { action: 'read', resource: 'calendar:events', result: 'success' }

async function take<T>(events: AsyncGenerator<T, void>, count: number): Promise<T[]> {
  const taken: T[] = []
  for await (const event of events) if (taken.push(event) === count) break
  return taken
}

describe('client.events', () => {
  test('iterates over past and new events of the given types', async () => {
    const { jti } = await token()
    const following = take(
      client.events({ after: -1, types: ['token.issued', 'token.revoked'], vat_jti: jti }),
      2,
    )
    await client.recordAction({ vat_jti: jti, ...READ })
    await client.revokeToken({ vat_jti: jti })
    const [issued, revoked] = await following
    assert.deepEqual([issued?.type, revoked?.type], ['token.issued', 'token.revoked'])
    // The type of the data follows from the requested types.
    assert.equal(issued?.data.vat_jti, jti)
  })

  test('continues where it left off after the connection is lost', async () => {
    const { jti, provenance_ref } = await token()
    let line = new AbortController()
    let connections = 0
    const remote = deputy({
      url,
      fetch(target, init) {
        connections += 1
        line = new AbortController()
        return fetch(target, { ...init, signal: AbortSignal.any([line.signal, init?.signal ?? line.signal]) })
      },
    })
    const seen: DeputyEvent[] = []
    let made = 0
    for await (const event of remote.events({ after: -1, provenance_ref })) {
      seen.push(event)
      if (seen.length === 6) break
      if (made === 5) continue
      // Each event arrives over a different connection.
      line.abort()
      made += 1
      await client.recordAction({ vat_jti: jti, ...READ })
    }
    const indexes = seen.map(({ log_index }) => log_index)
    assert.deepEqual(
      indexes,
      [...new Set(indexes)].sort((a, b) => a - b),
    )
    assert.ok(connections >= 6, `${connections} connections`)
  })

  test('waits and goes on if the service limits the next connections', async () => {
    const { jti, provenance_ref } = await token()
    let line = new AbortController()
    const connected_ms: number[] = []
    const limited = deputy({
      url,
      async fetch(target, init) {
        connected_ms.push(Date.now())
        const code = ['rate_limited', 'too_many_streams'][connected_ms.length - 2]
        if (code !== undefined) {
          const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' }
          return new Response(JSON.stringify({ code }), { status: 429, headers })
        }
        line = new AbortController()
        return fetch(target, { ...init, signal: AbortSignal.any([line.signal, init?.signal ?? line.signal]) })
      },
    })
    const types: string[] = []
    for await (const { type } of limited.events({ after: -1, provenance_ref })) {
      types.push(type)
      if (types.length === 2) break
      line.abort()
      await client.recordAction({ vat_jti: jti, ...READ })
    }
    assert.deepEqual(types, ['token.issued', 'action.completed'])
    const [, first = 0, second = 0, third = 0] = connected_ms
    assert.ok(second - first >= 1000 && third - second >= 1000, String(connected_ms))
  })

  test('pages have the same order', async () => {
    const { provenance_ref, jti } = await token()
    await client.recordAction({ vat_jti: jti, ...READ })
    const types: unknown[] = []
    for await (const { type } of client.listEvents.all({ provenance_ref, limit: 1 })) types.push(type)
    assert.deepEqual(types, ['token.issued', 'action.completed'])
    const { data } = await client.listEvents({ provenance_ref, type: ['action.completed', 'action.denied'] })
    assert.equal(data.length, 1)
  })

  test('ends with the reason of its signal, and fails if the service refuses', async () => {
    const reason = new Error('enough')
    await assert.rejects(take(client.events({ signal: AbortSignal.abort(reason) }), 1), reason)
    const abort = new AbortController()
    const waiting = take(client.events({ signal: abort.signal, agent_id: 'nobody' }), 1)
    abort.abort(reason)
    await assert.rejects(waiting, reason)
    await assert.rejects(take(client.events({ after: 10 ** 9 }), 1), (error) => {
      assert.ok(error instanceof DeputyError)
      return error.code === 'invalid_request'
    })
    // @ts-expect-error: an unknown option
    await assert.rejects(take(client.events({ since: 3 }), 1), /Unknown option since/)
  })
})
