import { connect } from 'node:net'
import type { TestScope } from './scope.ts'

const PATIENCE_MS = 60_000
/** Services end an unfinished request after 15 seconds. */
const UNFINISHED_MS = 90_000

/** Sends bytes unchanged and returns everything received until the other side closes. */
export function rawExchange(url: string, bytes: string): Promise<string> {
  const { port, hostname } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname.replaceAll(/[[\]]/g, ''))
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`no end after ${PATIENCE_MS} ms`)))
    socket.on('data', (chunk) => {
      received += chunk
    })
    // A server that refuses may close before it has read everything. Its response still counts.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)))
    socket.on('close', () => resolve(received))
    socket.write(bytes, 'latin1')
  })
}

/** Begins a request and never finishes it. Returns everything received until the other side hangs up. */
export function unfinishedRequest(scope: TestScope, url: string, beginning: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    scope.after(() => {
      socket.destroy()
    })
    let received = ''
    socket.setEncoding('latin1')
    socket.setTimeout(UNFINISHED_MS, () => reject(new Error('it was never sent away')))
    socket.on('data', (chunk) => {
      received += chunk
    })
    socket.on('error', () => {}) // a cut connection also closes
    socket.on('close', () => resolve(received))
    socket.write(beginning)
  })
}

/** The bytes of a request with `Connection: close`. Headers keep their order and spelling. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return [`${line} HTTP/1.1`, ...headers, 'Connection: close', '', body].join('\r\n')
}

export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])
}

/** The `code` of a problem response, if it has one. */
export function codeOf(answer: string): string | undefined {
  return /"code":"(\w+)"/.exec(answer)?.[1]
}
