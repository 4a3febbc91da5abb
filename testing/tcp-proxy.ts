import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import type { TestScope } from './scope.ts'

/** Up: from the node to the database. Down: from the database to the node. */
export type TrafficDirection = 'up' | 'down'

/**
 * When to cut a connection that sends certain bytes: before the chunk that contains them, in its middle, or after it,
 * so that the other side has the whole chunk but its response is lost.
 */
export type CutMoment = 'before' | 'within' | 'after'

/** A TCP proxy between a node and its database that can delay, cut and lose traffic. */
export interface TcpProxy {
  readonly port: number
  /** The URL of the same database through this proxy. */
  through(url: string): string
  /** Sends all later connections to this port. */
  lead(port: number): void
  /** Delays all traffic by this time. */
  delay(ms: number): void
  /** Cuts all connections now. */
  cut(): void
  /** Cuts the next connection that sends these bytes. Resolves when that has happened. */
  cutAt(bytes: string, direction: TrafficDirection, moment: CutMoment): Promise<void>
  /** Cuts each open connection after this many more bytes. */
  cutAfter(count: number, direction: TrafficDirection): void
  /** Refuses new connections while true. Open connections stay open. */
  refuse(isSo: boolean): void
  /** Drops all traffic while true without closing connections. Connections open at that time never recover. */
  swallow(isSo: boolean): void
}

interface Line {
  readonly node: Socket
  readonly database: Socket
  isDead: boolean
  left: { readonly direction: TrafficDirection; count: number } | undefined
}

interface Trap {
  readonly bytes: Buffer
  readonly direction: TrafficDirection
  readonly moment: CutMoment
  onSprung(): void
}

export async function aTcpProxy(scope: TestScope, target: string): Promise<TcpProxy> {
  const lines = new Set<Line>()
  let destination = Number(new URL(target).port)
  let delay_ms = 0
  let isRefusing = false
  let isSwallowing = false
  let trap: Trap | undefined

  function end(line: Line): void {
    line.node.destroy()
    line.database.destroy()
    lines.delete(line)
  }

  function pass(line: Line, direction: TrafficDirection, chunk: Buffer): void {
    const to = direction === 'up' ? line.database : line.node
    if (line.isDead || isSwallowing) {
      line.isDead = true
      return
    }
    if (trap?.direction === direction && chunk.includes(trap.bytes)) {
      spring(line, to, chunk, trap)
      return
    }
    if (line.left?.direction === direction) {
      line.left.count -= chunk.length
      if (line.left.count < 0) {
        to.write(chunk.subarray(0, chunk.length + line.left.count), () => end(line))
        return
      }
    }
    to.write(chunk)
  }

  function spring(line: Line, to: Socket, chunk: Buffer, { moment, onSprung }: Trap): void {
    trap = undefined
    line.isDead = true // later traffic on this line is dropped
    const part = { before: 0, within: Math.floor(chunk.length / 2), after: chunk.length }[moment]
    const from = to === line.database ? line.node : line.database
    from.destroy()
    to.end(chunk.subarray(0, part))
    onSprung()
  }

  const server = createServer((node) => {
    if (isRefusing) {
      node.destroy()
      return
    }
    const database = connect(destination, '127.0.0.1')
    const line: Line = { node, database, isDead: false, left: undefined }
    lines.add(line)
    for (const [from, direction] of [
      [node, 'up'],
      [database, 'down'],
    ] as const) {
      from.setNoDelay(true)
      from.on('data', (chunk) => {
        if (delay_ms === 0) pass(line, direction, chunk)
        else setTimeout(pass, delay_ms, line, direction, chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        if (!line.isDead && !isSwallowing) end(line)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  const { port } = address
  scope.after(() => {
    server.close()
    for (const line of lines) end(line)
  })

  return {
    port,
    through(url) {
      const changed = new URL(url)
      changed.port = String(port)
      return changed.href
    },
    lead(next) {
      destination = next
    },
    delay(ms) {
      delay_ms = ms
    },
    cut() {
      for (const line of lines) end(line)
    },
    cutAt: (bytes, direction, moment) =>
      new Promise((resolve) => {
        trap = { bytes: Buffer.from(bytes), direction, moment, onSprung: resolve }
      }),
    cutAfter(count, direction) {
      for (const line of lines) line.left = { direction, count }
    },
    refuse(isSo) {
      isRefusing = isSo
    },
    swallow(isSo) {
      isSwallowing = isSo
    },
  }
}
