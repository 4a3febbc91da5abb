import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import type { ProviderJson, ServerAnswer } from '@deputize/testing/idv/identity-server.ts'
import { type Outbound, outbound } from '../../src/outbound/outbound.ts'
import type { CallbackHeaders, ExternalProvider } from '../../src/verification/external/port.ts'
import {
  EXTERNAL_REASONS,
  type ExternalStatus,
  isDowngrade,
} from '../../src/verification/external/verdict.ts'
import {
  failureOf,
  loopback,
  NOW_MS,
  OTHER_SECRET,
  onfido,
  opened,
  PROVIDERS,
  readEntry,
  received,
  SESSION,
  secretMember,
  signed,
  urlMember,
} from './an-external-provider.ts'

/** The promises that every adapter keeps. */
for (const one of PROVIDERS)
  describe(`${one.name}`, () => {
    const { server } = one
    let provider: ExternalProvider
    let id: string
    beforeEach(async () => {
      provider = opened(server)
      id = (await provider.createSession({ ...SESSION, attempt: Math.floor(Math.random() * 1e9) }))
        .external_id
    })
    const decided = async () => (await provider.fetchDecision(id, undefined)).status

    test('a session has a page, the session ID and no person', async () => {
      const session = await provider.createSession(SESSION)
      assert.match(session.redirect_url ?? '', new RegExp(`^${server.url}/`))
      assert.match(session.external_id, /^[A-Za-z0-9._~:-]{1,200}$/)
      assert.equal(server.sessionOf(session.external_id), SESSION.session_id)
      const sent = JSON.stringify(server.calls.map(({ body, path, headers }) => ({ body, path, headers })))
      assert.ok(!sent.includes(SESSION.human_ref))
      assert.ok(sent.includes(encodeURIComponent(SESSION.return_url)) || sent.includes(SESSION.return_url))
    })

    test('a repeated creation makes one session if the provider supports that, and a retry makes another', async () => {
      const first = await provider.createSession(SESSION)
      const again = await provider.createSession(SESSION)
      const retry = await provider.createSession({ ...SESSION, attempt: 2 })
      assert.equal(again.external_id === first.external_id, one.is_idempotent)
      assert.notEqual(retry.external_id, first.external_id)
    })

    test('a page that is neither https nor on the machine of the provider is never forwarded', async () => {
      for (const page of [
        'javascript:alert(1)//',
        'http://elsewhere.example',
        'data:text/html,',
        'https://a:b@c.example',
      ]) {
        const call: Outbound = async (url, request) => {
          const answer = await loopback(url, request)
          return new Response((await answer.text()).replaceAll(server.url, page), { status: answer.status })
        }
        const session = opened(server, { call }).createSession({ ...SESSION, attempt: 7 })
        // A token for the provider's own SDK is enough, if there is one.
        if (server === onfido) assert.equal((await session).redirect_url, undefined)
        else assert.equal((await failureOf(session)).reason, 'malformed')
      }
    })

    test('a session that was never opened is pending', async () => {
      assert.equal(await decided(), 'pending')
    })

    test('each documented status has its meaning, and an unknown one is never a pass', async () => {
      for (const outcome of server.outcomes) {
        server.decide(id, outcome)
        const expected: ExternalStatus = outcome === 'odd' ? 'pending' : outcome
        assert.equal(await decided(), expected, outcome)
      }
    })

    test('a pass names its checks, a failure its reasons, and neither repeats text of the provider', async () => {
      server.decide(id, 'pass')
      const pass = await provider.fetchDecision(id, undefined)
      assert.deepEqual({ ...pass.checks }, one.pass_checks)
      assert.deepEqual(pass.reasons, [])
      server.decide(id, 'fail')
      const fail = await provider.fetchDecision(id, undefined)
      assert.deepEqual(fail.reasons, one.fail_reasons)
      for (const reason of fail.reasons) assert.ok(EXTERNAL_REASONS.includes(reason))
      assert.match(fail.raw_hash, /^sha256:[0-9a-f]{64}$/)
      assert.doesNotMatch(JSON.stringify([pass, fail]), /Raw text|Wilhelmina/)
    })

    test('a decision that turns bad after a pass is a downgrade, and the order of callbacks does not matter', async () => {
      server.decide(id, 'pass')
      const before = await decided()
      const late = server.callback(id, { time_ms: NOW_MS })
      server.decide(id, 'fail')
      // The event that says "approved" arrives after the provider changed its mind: the decision is fetched, not read
      // from it.
      assert.equal(provider.readCallback(late.body, received(late.headers))?.external_id, id)
      assert.ok(isDowngrade(before, await decided()))
    })

    test('a genuine callback names its session and its event, the same ones each time', () => {
      const { body, headers } = server.callback(id, { time_ms: NOW_MS })
      const event = provider.readCallback(body, received(headers))
      assert.equal(event?.external_id, id)
      assert.deepEqual(provider.readCallback(body, received(headers)), event)
      const next = server.callback(id, { time_ms: NOW_MS + 1000 })
      assert.notEqual(provider.readCallback(next.body, received(next.headers))?.event_id, event?.event_id)
    })

    test('a callback with a wrong signature, another body or no single header is refused', () => {
      const { body, headers } = server.callback(id, { time_ms: NOW_MS })
      const value = headers[one.header] ?? ''
      const forged = server.callback(id, { secrets: [OTHER_SECRET], time_ms: NOW_MS })
      const changed = Buffer.from(body.toString().replace(id, `${id.slice(0, -1)}x`))
      const refused: readonly (readonly [string, Buffer, CallbackHeaders])[] = [
        ['another secret', forged.body, received(forged.headers)],
        ['another session', changed, received(headers)],
        ['one byte more', Buffer.concat([body, Buffer.from(' ')]), received(headers)],
        ['empty body', Buffer.alloc(0), received(headers)],
        ['no header', body, {}],
        ['sent twice', body, { [one.header]: [value, value] }],
        ['a forged one before it', body, { [one.header]: [forged.headers[one.header] ?? '', value] }],
        ['forged ones, joined', forged.body, { [one.header]: [`${forged.headers[one.header]}, ${value}`] }],
        ['empty', body, { [one.header]: [''] }],
        ['cut short', body, { [one.header]: [value.slice(0, -1)] }],
        ['longer', body, { [one.header]: [`${value}00`] }],
        [
          'look-alike digits',
          body,
          {
            [one.header]: [
              value.replaceAll(/[0-9]/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
            ],
          },
        ],
        ['two times', body, { [one.header]: [`${value},t=1`] }],
        ['a million characters', body, { [one.header]: [`${value},${'v1=0,'.repeat(200_000)}`] }],
        [
          'base64',
          body,
          {
            [one.header]: [
              value.replace(/[0-9a-f]{64}/, (hex) => Buffer.from(hex, 'hex').toString('base64')),
            ],
          },
        ],
      ]
      for (const [name, bytes, sent] of refused)
        assert.equal(provider.readCallback(bytes, sent), undefined, name)
    })

    if (one.is_timed)
      test('a callback from more than five minutes ago or ahead is refused', () => {
        const at = (seconds: number) => {
          const { body, headers } = server.callback(id, { time_ms: NOW_MS + seconds * 1000 })
          return provider.readCallback(body, received(headers)) !== undefined
        }
        assert.deepEqual([-301, -300, 0, 300, 301].map(at), [false, true, true, true, false])
      })

    test('while the secret is rotated, both the old and the new one are accepted', () => {
      const before = opened(server, {
        secrets: { [String(server.entry[secretMember(server)])]: OTHER_SECRET },
      })
      const during = opened(server, {
        entry: { [`previous_${secretMember(server)}`]: 'the-other' },
        secrets: { 'the-other': OTHER_SECRET },
      })
      const old = server.callback(id, { secrets: [OTHER_SECRET], time_ms: NOW_MS })
      const fresh = server.callback(id, { time_ms: NOW_MS })
      const takes = ({ body, headers }: typeof old, reader = during) =>
        reader.readCallback(body, received(headers)) !== undefined
      assert.ok(takes(old) && takes(fresh))
      assert.ok(takes(old, before) && !takes(fresh, before))
      if (!one.is_timed) return
      // Providers with a time send one signature per secret.
      const both = server.callback(id, { secrets: [OTHER_SECRET, server.webhook_secret], time_ms: NOW_MS })
      assert.ok(takes(both) && takes(both, before) && takes(both, provider))
    })

    test('a genuine callback that is no event of the provider is refused without an error', () => {
      const depth = 200_000
      const bodies = [
        '',
        '[]',
        'null',
        '"evt_1"',
        '{"id":"evt_1"',
        '\ufeff{}',
        `${'['.repeat(depth)}${']'.repeat(depth)}`,
        '{"__proto__":{"id":"evt_1"},"constructor":{"id":"evt_1"}}',
        ...(one.is_described ? [] : [JSON.stringify(one.body(42))]),
        JSON.stringify(one.body(null)),
        JSON.stringify(one.body([id])),
        JSON.stringify(one.body(`../${id}`)),
        JSON.stringify(one.body('..')),
        JSON.stringify(one.body('')),
        JSON.stringify(one.body('i'.repeat(201))),
        JSON.stringify(one.body(id)).replace(`"id":"${id}"`, `"id":"${id}","id":"${id}"`),
      ]
      for (const body of bodies)
        assert.equal(
          provider.readCallback(Buffer.from(body), signed(one, server.webhook_secret, body)),
          undefined,
          body.slice(0, 80),
        )
      const notUtf8 = Buffer.from(JSON.stringify(one.body(id)).replace('"id"', '"\u00ff"'), 'latin1')
      assert.equal(provider.readCallback(notUtf8, signed(one, server.webhook_secret, notUtf8)), undefined)
      const right = JSON.stringify(one.body(id))
      assert.ok(provider.readCallback(Buffer.from(right), signed(one, server.webhook_secret, right)))
    })

    test('each kind of failure has its reason, and no part of the answer is repeated', async () => {
      const answers: readonly (readonly [ServerAnswer | string, string])[] = [
        [{ status: 401, body: { message: 'Raw text' } }, 'refused'],
        [{ status: 403 }, 'refused'],
        [{ status: 400, body: {} }, 'refused'],
        [{ status: 404 }, 'unknown'],
        [{ status: 410 }, 'unknown'],
        [{ status: 429, headers: { 'retry-after': '17' } }, 'rate_limited'],
        [{ status: 408 }, 'unavailable'],
        [{ status: 500, body: { message: 'Raw text' } }, 'unavailable'],
        [{ status: 503 }, 'unavailable'],
        [{ status: 302, headers: { location: 'https://elsewhere.example' } }, 'refused'],
        ['Raw text, not JSON', 'malformed'],
        ['[]', 'malformed'],
        ['{}', 'malformed'],
        ['{"id":1}', 'malformed'],
        [`{"big":"${'x'.repeat(200_000)}"}`, 'unavailable'],
      ]
      for (const [answer, reason] of answers) {
        server.instead = () => answer
        const isOpen = one.is_described && (answer === '{}' || answer === '{"id":1}')
        const fetched = isOpen ? [] : [provider.fetchDecision(id, undefined)]
        for (const work of [...fetched, provider.createSession(SESSION)]) {
          const failure = await failureOf(work)
          assert.equal(failure.reason, reason, JSON.stringify(answer).slice(0, 80))
          assert.doesNotMatch(failure.message, /Raw text/)
          assert.equal(failure.retry_after_s, reason === 'rate_limited' ? 17 : undefined)
        }
      }
    })

    test('a provider that hangs or is unreachable is unavailable', async () => {
      server.instead = () => new Promise<never>(() => {})
      const hasty = opened(server, { call: outbound({ allow_loopback: true, timeout_ms: 40 }) })
      assert.equal((await failureOf(hasty.fetchDecision(id, undefined))).reason, 'unavailable')
      const gone = opened(server, { entry: { [urlMember(server)]: 'http://127.0.0.1:9' } })
      assert.equal((await failureOf(gone.createSession(SESSION))).reason, 'unavailable')
    })

    test('an answer about another session is malformed', async () => {
      server.decide(id, 'pass')
      const other = (await provider.createSession({ ...SESSION, attempt: 3 })).external_id
      const swapped: Outbound = (url, request) => loopback(url.replaceAll(other, id), rehashed(request))
      const rehashed = (request: Parameters<Outbound>[1]) => ({
        ...request,
        headers: {
          ...request?.headers,
          ...(one.name === 'Veriff' && {
            'x-hmac-signature': createHmac('sha256', server.webhook_secret).update(id).digest('hex'),
          }),
        },
      })
      const failure = await failureOf(opened(server, { call: swapped }).fetchDecision(other, undefined))
      assert.equal(failure.reason, 'malformed')
    })

    test('a wrong credential is refused, and an unknown session is unknown', async () => {
      const [file = ''] = server.secrets.keys() // the credential comes first
      const wrong = opened(server, { secrets: { [file]: `${server.secrets.get(file)?.trim()}x` } })
      assert.equal((await failureOf(wrong.createSession(SESSION))).reason, 'refused')
      assert.equal((await failureOf(wrong.fetchDecision(id, undefined))).reason, 'refused')
      const unknown = id.replace(/[0-9a-f]{4}$/, '0000')
      assert.equal((await failureOf(provider.fetchDecision(unknown, undefined))).reason, 'unknown')
    })

    test('redaction leaves nothing, may be repeated, and fails while the provider is down', async () => {
      server.decide(id, 'pass')
      server.instead = () => ({ status: 503 })
      assert.ok(provider.redact)
      assert.equal((await failureOf(provider.redact(id))).reason, 'unavailable')
      assert.equal(server.isRedacted(id), false)
      server.instead = undefined
      await provider.redact(id)
      assert.equal(server.isRedacted(id), true)
      await provider.redact(id)
      await provider.redact(id.replace(/[0-9a-f]{4}$/, '0000'))
    })

    test('the test server refuses what the provider would refuse', async () => {
      const path = server.calls.find(({ method }) => method === 'POST')?.path
      const answer = await fetch(`${server.url}${path}`, { method: 'POST', body: '{}' })
      assert.equal(answer.status, 401)
    })

    test('mistakes in an entry are reported with their fix and without secrets', () => {
      const secret = server.secrets.values().next().value?.trim() ?? ''
      const wrong: readonly (readonly [ProviderJson, RegExp])[] = [
        [{ [secretMember(server)]: undefined }, /must be the path of a file/],
        [{ [secretMember(server)]: 'nowhere' }, /no file nowhere/],
        [{ [urlMember(server)]: 'http://provider.example' }, /_url must be an https address/],
        [{ [urlMember(server)]: 'https://provider.example/?x' }, /_url must be an https address/],
        [{ webhook_key: 'x' }, /Unknown member "webhook_key"/],
        ...(server.entry.test_mode === true
          ? ([[{ test_mode: undefined }, /holds a test key, which does not verify people/]] as const)
          : []),
      ]
      for (const [changes, problem] of wrong) {
        const { entries, problems } = readEntry(server, changes)
        assert.deepEqual(entries, [])
        assert.match(problems.join('\n'), problem)
        assert.ok(!problems.join('\n').includes(secret))
      }
      const [file = ''] = server.secrets.keys()
      assert.match(readEntry(server, {}, { [file]: 'two\nlines' }).problems.join('\n'), /one line|sk_/)
    })
  })
