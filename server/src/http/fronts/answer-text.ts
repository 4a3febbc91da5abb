import { STATUS_CODES } from '../../node-http.ts'
import { IDLE_MS } from '../connections/connection-times.ts'

/** The same headers as the HTTP server of this service sends. */
const KEPT_ALIVE = `connection: keep-alive\r\nkeep-alive: timeout=${IDLE_MS / 1000}\r\n`
const UNSAFE = /[^\x20-\x7e]/

let date = ''
let date_s = 0

function dateLine(): string {
  const now_s = Math.floor(Date.now() / 1000)
  if (now_s !== date_s) date = `date: ${new Date(now_s * 1000).toUTCString()}\r\n`
  date_s = now_s
  return date
}

/** Returns a whole answer. `headers` must name its length, and `connection` if the connection ends with it. */
export function answerText(status: number, headers: Readonly<Record<string, string>>, body: string): string {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (UNSAFE.test(value)) throw new Error(`header ${name} holds a character that no header may have`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}${dateLine()}${headers.connection === undefined ? KEPT_ALIVE : ''}\r\n${body}`
}
