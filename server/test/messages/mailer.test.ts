import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { aCertificate } from '@deputize/testing/a-certificate.ts'
import { aMailServer } from '@deputize/testing/a-mail-server.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { openMailer } from '../../src/messages/mailer.ts'

const scope = { after }
const { cert, key } = aCertificate('localhost')
const MAIL = {
  to: 'sam@example.com',
  message_id: 'msg_1',
  subject: 'Shopping assistant wants to buy for $149.90 ⟨U+000A⟩',
  text: 'one\r\ntwo\r\n',
  html: '<p>one</p>',
  unsubscribe_url: 'https://deputy.example.com/unsubscribe/x',
}
const TLS = {
  host: 'localhost',
  is_implicit_tls: false,
  requires_tls: true,
  user: undefined,
  password: undefined,
  from: 'deputy@example.com',
  ca: cert,
}

describe('the mailer', () => {
  test('uses STARTTLS and signs in, and the mail arrives whole', async () => {
    const server = await aMailServer(scope, {
      cert,
      key,
      disabledCommands: [],
      authOptional: false,
      onAuth({ username, password }, _session, done) {
        if (username === 'deputy' && password === 'geheim') done(null, { user: username })
        else done(Object.assign(new Error('wrong'), { responseCode: 535 }))
      },
    })
    const send = openMailer({ ...TLS, port: server.port, user: 'deputy', password: 'geheim' })
    assert.deepEqual(await send(MAIL), { kind: 'sent' })
    const [mail] = server.mails
    assert.deepEqual([mail?.to, mail?.from], [['sam@example.com'], 'deputy@example.com'])
    const { text = '' } = mail ?? {}
    assert.match(text, /^Message-ID: <msg_1@example\.com>\r?$/m)
    assert.match(text, /^Auto-Submitted: auto-generated\r?$/m)
    assert.match(text, /^List-Unsubscribe: <https:\/\/deputy\.example\.com\/unsubscribe\/x>\r?$/m)
    assert.match(text, /one\r?\ntwo/)
    const wrong = openMailer({ ...TLS, port: server.port, user: 'deputy', password: 'falsch' })
    assert.equal((await wrong(MAIL)).kind, 'again', 'the operator can mend it')
    assert.equal(server.mails.length, 1)
  })

  test('sends nothing without TLS, or to a server with a certificate that nobody vouches for', async () => {
    const plain = await aMailServer(scope)
    assert.equal((await openMailer({ ...TLS, port: plain.port })(MAIL)).kind, 'again')
    const own = await aMailServer(scope, { cert, key, disabledCommands: [] })
    const { ca: _, ...unknown } = TLS
    assert.equal((await openMailer({ ...unknown, port: own.port })(MAIL)).kind, 'again')
    assert.deepEqual([plain.mails.length, own.mails.length], [0, 0])
  })

  test('starts with TLS if the address is smtps', async () => {
    const server = await aMailServer(scope, { cert, key, secure: true })
    const send = openMailer({ ...TLS, is_implicit_tls: true, port: server.port })
    assert.deepEqual(await send(MAIL), { kind: 'sent' })
  })

  test('tries a recipient again that the server refused, though less often if it was for good', async () => {
    const server = await aMailServer(scope)
    const send = openMailer({ ...TLS, host: '127.0.0.1', requires_tls: false, port: server.port })
    server.refusals.push(550, 451)
    assert.deepEqual(await send(MAIL), {
      kind: 'again',
      why: 'the mail server refused the address with 550',
      after_ms: 1_800_000,
    })
    assert.deepEqual(await send(MAIL), { kind: 'again', why: 'the mail server answered 451' })
    assert.deepEqual(await send(MAIL), { kind: 'sent' })
    const away = openMailer({ ...TLS, host: '127.0.0.1', requires_tls: false, port: await freePort() })
    assert.deepEqual(await away(MAIL), { kind: 'again', why: 'connection to the mail server failed' })
  })

  test('gives up on a server that never ends its answer', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('220 mail.example.com\r\n')
      const timer = setInterval(() => socket.write('250-mail.example.com\r\n'), 50)
      socket.on('close', () => clearInterval(timer))
    })
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => sockets.add(socket))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    after(() => {
      for (const socket of sockets) socket.destroy()
      server.close()
    })
    const { port } = server.address() as AddressInfo // a TCP server that listens
    const send = openMailer({ ...TLS, host: '127.0.0.1', requires_tls: false, port, longest_ms: 500 })
    assert.deepEqual(await send(MAIL), { kind: 'again', why: 'the mail server did not respond in time' })
  })
})
