import assert from 'node:assert/strict'
import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { TestScope } from './scope.ts'

/** A mail server that keeps every mail that it accepts. */
export interface MailServer {
  readonly port: number
  /** Each mail as received over the wire, with the addresses of its envelope. */
  readonly mails: { readonly to: readonly string[]; readonly from: string; readonly text: string }[]
  /** Error codes to answer the next recipients with, each used once. */
  readonly refusals: number[]
}

export async function aMailServer(scope: TestScope, options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: MailServer['mails'] = []
  const refusals: number[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_address, _session, callback) {
      const responseCode = refusals.shift()
      callback(responseCode === undefined ? null : Object.assign(new Error('refused'), { responseCode }))
    },
    onData(stream, { envelope }, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const to = envelope.rcptTo.map(({ address }) => address)
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        mails.push({ to, from, text: Buffer.concat(chunks).toString('utf8') })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {}) // some tests have clients that disconnect midway
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  scope.after(() => new Promise<void>((resolve) => server.close(() => resolve())))
  const address = server.server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { port: address.port, mails, refusals }
}

/** The text of a mail, without the transfer encoding of its lines. */
export function mailText({ text }: { readonly text: string }): string {
  return text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
