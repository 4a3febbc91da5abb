import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { createServer } from 'node:http'
import { describe, test } from 'node:test'
import { limitConnections, type OpenConnection } from '../../src/http/connections/connections.ts'

const LIMIT = 3

/** A connection that another thread closes after its next answer, or at once if it never had a request. */
class DistantConnection extends EventEmitter implements OpenConnection {
  readonly remoteAddress = '192.0.2.1'
  destroyed = false
  isTold = false
  isUsed = false

  destroy(): void {
    this.isTold = true
    if (!this.isUsed) this.destroyed = true
  }
}

/** The maximum number of connections, all used and idle. */
function fullHouse() {
  const watch = limitConnections(createServer(), { per_address: LIMIT, total: LIMIT, trusted_proxies: [] })
  function open(): DistantConnection {
    const connection = new DistantConnection()
    watch.open(connection)
    return connection
  }
  function use(connection: DistantConnection): () => void {
    connection.isUsed = true
    return watch.begin(connection)
  }
  const first = Array.from({ length: LIMIT }, open)
  for (const connection of first) use(connection)()
  return { open, use, first }
}

describe('a connection that was told to make room', () => {
  test('is not told again, and no other is told, until another one opens', () => {
    const { open, first } = fullHouse()
    open()
    assert.deepEqual(
      first.map(({ isTold }) => isTold),
      [true, false, false],
    )
    open()
    assert.deepEqual(
      first.map(({ isTold }) => isTold),
      [true, true, false],
    )
  })

  test('still counts if it has another request under way, and a different one makes room instead', () => {
    const { open, use, first } = fullHouse()
    const newcomer = open()
    const [told] = first
    assert.ok(told?.isTold)
    const end = use(told)
    use(newcomer)
    const next = open()
    assert.deepEqual(
      first.map(({ isTold }) => isTold),
      [true, true, true],
    )
    assert.ok(!next.destroyed)
    end()
    assert.ok(!open().destroyed)
    assert.ok(!next.destroyed)
  })

  test('keeps its place if all are in use, and the next one is refused', () => {
    const { open, use, first } = fullHouse()
    use(open())
    for (const connection of first) use(connection)
    assert.ok(open().destroyed)
  })
})
