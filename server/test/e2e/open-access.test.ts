import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { aProgram, refusedStart } from '@deputize/testing/program.ts'
import { codeOf, rawExchange, rawRequest, statusOf } from '@deputize/testing/raw-http.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { logSize } from './audit-store.ts'

const directory = temporaryDirectory({ after })
const program = await aProgram({ after }, directory)
const { port } = new URL(program.url)
const HOST = `Host: 127.0.0.1:${port}`
const BODY = JSON.stringify(anIssueRequest())
const JSON_BODY = ['Content-Type: application/json', `Content-Length: ${BODY.length}`]

/** Requests a token with these headers followed by those of the body. The request writes if it is accepted. */
const issue = (headers: readonly string[]) =>
  rawExchange(program.url, rawRequest('POST /v1/vat/issue/l1', [...headers, ...JSON_BODY], BODY))

/** Entries in the log after the last request. */
let written = 0

/** The size of the log after a read, when the files contain everything acknowledged. */
async function shownSize(): Promise<number> {
  await (await fetch(`${program.url}/v1/vat/aar?limit=1`)).text()
  return logSize(directory)
}

async function assertRefused(answer: Promise<string>, status: number, code?: string): Promise<void> {
  const text = await answer
  assert.equal(statusOf(text), status, text)
  if (code !== undefined) assert.equal(codeOf(text), code, text)
  assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, 'one request has one answer')
  assert.equal(await shownSize(), written, 'something was written')
}

async function assertTaken(answer: Promise<string>): Promise<void> {
  const text = await answer
  assert.equal(statusOf(text), 200, text)
  written += 1
  assert.equal(await shownSize(), written)
}

describe('only requests made on this machine get through', () => {
  for (const name of ['localhost', '127.0.0.1', '[::1]', 'LocalHost'])
    test(`Host ${name} with our port is accepted`, () => assertTaken(issue([`Host: ${name}:${port}`])))

  for (const host of [
    'attacker.example',
    `attacker.example:${port}`,
    'localhost',
    '127.0.0.1',
    'localhost:1',
    `localhost.attacker.example:${port}`,
    `localhost.:${port}`,
    `127.0.0.1.nip.io:${port}`,
    `127.1:${port}`,
    `127.0.0.2:${port}`,
    `0.0.0.0:${port}`,
    `2130706433:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[::1%25lo]:${port}`,
    `user@localhost:${port}`,
    `localhost:${port}@attacker.example`,
    `localhost:0${port}`,
    `localhost:${port},attacker.example`,
    '',
  ])
    test(`Host "${host.replace(port, 'PORT')}" is refused`, () =>
      assertRefused(issue([`Host: ${host}`]), 403, 'host_not_allowed'))

  test('a request without Host is refused', () => assertRefused(issue([]), 400))

  test('an HTTP/1.0 request without Host is refused', () => {
    const bytes = ['POST /v1/vat/issue/l1 HTTP/1.0', ...JSON_BODY, '', BODY].join('\r\n')
    return assertRefused(rawExchange(program.url, bytes), 403, 'host_not_allowed')
  })

  test('an absolute URL with another host is still judged by Host', () => {
    const line = 'POST http://attacker.example/v1/vat/issue/l1'
    const bytes = rawRequest(line, ['Host: attacker.example', ...JSON_BODY], BODY)
    return assertRefused(rawExchange(program.url, bytes), 403, 'host_not_allowed')
  })
})

describe('requests from pages of other sites are refused', () => {
  for (const origin of [
    'null',
    'https://attacker.example',
    'http://localhost',
    'http://localhost:1',
    'https://localhost:PORT',
    'http://localhost:PORT.attacker.example',
    'http://attacker.example:PORT',
    'HTTP://LOCALHOST:PORT',
    'file://',
    '',
  ])
    test(`Origin "${origin}" is refused`, () =>
      assertRefused(issue([HOST, `Origin: ${origin.replace('PORT', port)}`]), 403, 'cross_site_request'))

  for (const site of ['cross-site', 'same-site', 'weird'])
    test(`Sec-Fetch-Site ${site} is refused`, () =>
      assertRefused(issue([HOST, `Sec-Fetch-Site: ${site}`]), 403, 'cross_site_request'))

  test('a form of another site cannot post, even as a navigation', () =>
    assertRefused(
      issue([HOST, 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: navigate', 'Sec-Fetch-Dest: document']),
      403,
      'cross_site_request',
    ))

  test('a link from another site may open a page, but not in a frame', async () => {
    const visit = (dest: string) =>
      rawExchange(
        program.url,
        rawRequest('GET /docs', [
          HOST,
          'Sec-Fetch-Site: cross-site',
          'Sec-Fetch-Mode: navigate',
          `Sec-Fetch-Dest: ${dest}`,
        ]),
      )
    assert.equal(statusOf(await visit('document')), 200)
    await assertRefused(visit('iframe'), 403, 'cross_site_request')
  })

  test('no response can be read by a page of another site', async () => {
    for (const line of ['GET /healthz', 'OPTIONS /v1/vat/issue/l1', 'GET /nothing']) {
      const answer = await rawExchange(program.url, rawRequest(line, [HOST]))
      assert.doesNotMatch(answer, /access-control-/i)
    }
  })

  for (const origin of ['http://localhost:PORT', 'http://127.0.0.1:PORT', 'http://[::1]:PORT'])
    test(`Origin ${origin} is our own and accepted`, () =>
      assertTaken(issue([HOST, `Origin: ${origin.replace('PORT', port)}`, 'Sec-Fetch-Site: same-origin'])))

  test('a URL typed into the address bar is accepted', () =>
    assertTaken(issue([HOST, 'Sec-Fetch-Site: none'])))

  test('text/plain is refused as JSON, because a form of another site can send it', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const headers = [HOST, `Content-Type: ${type}`, `Content-Length: ${BODY.length}`]
      const bytes = rawRequest('POST /v1/vat/issue/l1', headers, BODY)
      await assertRefused(rawExchange(program.url, bytes), 415, 'unsupported_media_type')
    }
  })
})

describe('requests through a proxy are refused', () => {
  for (const header of [
    'Forwarded: for=192.0.2.1',
    'X-Forwarded-For: 192.0.2.1',
    'X-Forwarded-For: 127.0.0.1',
    'X-Forwarded-For:',
    'X-Forwarded-Host: deputy.example',
    'X-Forwarded-Proto: https',
    'X-Forwarded-Port: 443',
    'X-Forwarded-Server: proxy',
    'X-Forwarded-Prefix: /deputy',
    'X-Real-IP: 192.0.2.1',
    'Via: 1.1 proxy',
  ])
    test(`${header} is refused`, () => assertRefused(issue([HOST, header]), 403, 'forwarded_request'))
})

describe('ambiguous requests are refused', () => {
  const post = 'POST /v1/vat/issue/l1 HTTP/1.1'
  const smuggled = `${post}\r\n${HOST}\r\n${JSON_BODY.join('\r\n')}\r\n\r\n${BODY}`
  const chunked = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
  const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
  const type = 'Content-Type: application/json'
  const length = `Content-Length: ${BODY.length}`

  for (const [name, bytes] of Object.entries({
    'Content-Length with Transfer-Encoding':
      lines(post, HOST, type, length, 'Transfer-Encoding: chunked') + chunked + smuggled,
    'Transfer-Encoding with Content-Length':
      lines(post, HOST, type, 'Transfer-Encoding: chunked', 'Content-Length: 4') + chunked + smuggled,
    'two different lengths': lines(post, HOST, type, length, 'Content-Length: 0') + BODY,
    'the same length twice': lines(post, HOST, type, length, length) + BODY,
    'a list of lengths': lines(post, HOST, type, `Content-Length: ${BODY.length}, ${BODY.length}`) + BODY,
    'a length with a sign': lines(post, HOST, type, `Content-Length: +${BODY.length}`) + BODY,
    'a length in hexadecimal': lines(post, HOST, type, 'Content-Length: 0x10') + BODY,
    'lines that end in LF alone': `${post}\n${HOST}\n${type}\n${length}\n\n${BODY}`,
    'one line that ends in LF alone': `${post}\r\n${HOST}\r\n${type}\n${length}\r\n\r\n${BODY}`,
    'a blank before the colon': lines(post, HOST, type, `Content-Length : ${BODY.length}`) + BODY,
    'a header that goes on in the next line': lines(post, HOST, type, length, 'X-A: b', ' c') + BODY,
    'a transfer coding that is not chunked': lines(post, HOST, type, 'Transfer-Encoding: xchunked') + chunked,
    'chunked, but not last': lines(post, HOST, type, 'Transfer-Encoding: chunked, identity') + chunked,
    'a chunk with a wrong size': `${lines(post, HOST, type, 'Transfer-Encoding: chunked')}zz\r\n${BODY}\r\n0\r\n\r\n`,
    'a NUL in a header': lines(post, HOST, type, length, 'X-A: \0') + BODY,
    'a method that does not exist': lines('PAST /v1/vat/issue/l1 HTTP/1.1', HOST, type, length) + BODY,
    'another protocol version': lines('POST /v1/vat/issue/l1 HTTP/3.7', HOST, type, length) + BODY,
    'no HTTP at all': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello, is this TLS?\r\n\r\n',
  }))
    test(name, () => assertRefused(rawExchange(program.url, bytes), 400))

  test('headers beyond 16 KiB are refused', () =>
    assertRefused(issue([HOST, `X-Long: ${'a'.repeat(20_000)}`]), 431))

  test('a path beyond 16 KiB is refused, and the answer names the request line', async () => {
    const answer = await rawExchange(program.url, rawRequest(`GET /${'a'.repeat(20_000)}`, [HOST]))
    assert.equal(statusOf(answer), 431)
    assert.match(answer, /request line/)
  })

  test('an upgrade to another protocol is refused', async () => {
    const upgrade = ['Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
    const answer = await rawExchange(program.url, rawRequest('GET /healthz', [HOST, ...upgrade]))
    assert.notEqual(statusOf(answer), 101)
  })

  test('a chunked body is accepted', () =>
    assertTaken(
      rawExchange(
        program.url,
        rawRequest('POST /v1/vat/issue/l1', [HOST, type, 'Transfer-Encoding: chunked'], chunked),
      ),
    ))

  test('the service is still ready after all that', async () => {
    assert.equal(statusOf(await rawExchange(program.url, rawRequest('GET /readyz', [HOST]))), 200)
  })
})

describe('an unsafe start is refused with a way out', () => {
  for (const host of ['0.0.0.0', '::', '192.0.2.10', 'deputy.example', '127.0.0.1.nip.io'])
    test(`HOST=${host} would open the service to other machines`, async (t) => {
      const empty = temporaryDirectory(t)
      const { code, output } = await refusedStart(empty, { HOST: host })
      assert.equal(code, 78)
      assert.ok(output.includes(`HOST=${host}`), output)
      assert.match(output, /leave HOST unset/)
      assert.deepEqual(readdirSync(empty), [])
    })

  test('an unknown setting is named, with the known ones', async (t) => {
    const { code, output } = await refusedStart(temporaryDirectory(t), { DEPUTY_ACESS: 'open' })
    assert.equal(code, 78)
    assert.match(output, /DEPUTY_ACESS is not a setting/)
    assert.match(output, /DEPUTY_ACCESS/)
  })

  test('every invalid setting is named at once', async (t) => {
    const { code, output } = await refusedStart(temporaryDirectory(t), {
      PORT: '99999',
      DEPUTY_ACCESS: 'everybody',
      DEPUTY_LOG_LEVEL: 'loud',
      DEPUTY_QUEUE_LIMIT: '-1',
    })
    assert.equal(code, 78)
    for (const name of [
      'PORT=99999',
      'DEPUTY_ACCESS=everybody',
      'DEPUTY_LOG_LEVEL=loud',
      'DEPUTY_QUEUE_LIMIT=-1',
    ])
      assert.ok(output.includes(name), output)
  })

  test('a second program on the same data is refused, and the first keeps running', async () => {
    const { code, output } = await refusedStart(directory)
    assert.equal(code, 78)
    assert.match(output, /another Deputy is using/)
    await assertTaken(issue([HOST]))
  })

  test('a port in use is named, with another to try', async (t) => {
    const { code, output } = await refusedStart(temporaryDirectory(t), { PORT: port })
    assert.equal(code, 78)
    assert.ok(output.includes(`Port ${port} on 127.0.0.1 is in use`), output)
    assert.match(output, /PORT=\d+ npm start/)
  })

  test("a directory that can't be created is named", {
    skip: process.platform !== 'linux' && 'only Linux has /proc',
  }, async () => {
    const { code, output } = await refusedStart('/proc/deputy/data')
    assert.equal(code, 78)
    assert.match(output, /\/proc\/deputy\/data can't be created .*DEPUTY_DATA_DIR/)
  })

  test('no refusal shows a stack', async (t) => {
    for (const env of [{ HOST: '0.0.0.0' }, { PORT: port }, { DEPUTY_X: '1' }]) {
      const { output } = await refusedStart(temporaryDirectory(t), env)
      assert.match(output, /^Deputy cannot start\.\n/)
      assert.doesNotMatch(output, /\n\s+at /)
    }
  })
})
