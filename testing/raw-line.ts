import { connect, type Socket } from 'node:net'
import { eventually } from './eventually.ts'
import type { TestScope } from './scope.ts'

const LENGTH = /content-length: (\d+)/i

/** A connection for several requests, in turn or at once. */
export class RawLine {
  readonly socket: Socket
  #received = ''

  constructor(scope: TestScope, url: string) {
    this.socket = connect(Number(new URL(url).port), '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', (text) => {
      this.#received += text
    })
    this.socket.on('error', () => {}) // it also closes
    scope.after(() => {
      this.socket.destroy()
    })
  }

  write(bytes: string): void {
    this.socket.write(bytes, 'latin1')
  }

  /** The next complete answer. */
  answer(): Promise<string> {
    return eventually('an answer', () => {
      const head = this.#received.indexOf('\r\n\r\n')
      const end = head + 4 + Number(LENGTH.exec(this.#received.slice(0, head))?.[1] ?? 0)
      if (head < 0 || this.#received.length < end) return undefined
      const answer = this.#received.slice(0, end)
      this.#received = this.#received.slice(end)
      return answer
    })
  }
}

/** The bytes of a request that keeps its connection open. */
export function lineRequest(
  url: string,
  line: string,
  body?: unknown,
  headers: readonly string[] = [],
): string {
  const text = body === undefined ? '' : JSON.stringify(body)
  return [
    `${line} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(body === undefined ? [] : ['Content-Type: application/json', `Content-Length: ${text.length}`]),
    ...headers,
    '',
    text,
  ].join('\r\n')
}
