import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import type { Answer } from '@deputize/testing/a-test-app.ts'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import { filesBelow } from '@deputize/testing/files-below.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { auditStore, leafTexts, storeRows } from './audit-store.ts'

const CANARIES = {
  email: 'canary.of.mail@canary.example',
  purpose: 'canary-of-purpose',
  metadata: 'canary-of-metadata',
  completion: 'canary-of-completion',
  note: 'canary-of-note',
  reason: 'canary-of-reason',
  question: 'canary-of-question',
  decision: 'canary-of-decision',
}

/** All kinds of personal data of one person, each written with an Idempotency-Key. */
interface Life {
  readonly human_ref: string
  readonly jti: string
  readonly compact_jwt: string
  readonly revoked_jti: string
  readonly aar_id: string
  readonly completed_id: string
  readonly approval_id: string
  /** Repeats the same requests with the same keys. */
  repeat(): Promise<Answer[]>
}

async function aLife(client: HttpClient, email = CANARIES.email): Promise<Life> {
  const calls: { path: string; body: unknown; key: string }[] = []
  async function ask(path: string, body: unknown) {
    const key = `${email}-${calls.length}`
    calls.push({ path, body, key })
    const answer = await client.post(path, body, { 'idempotency-key': key })
    assert.equal(answer.status, 200, `${path} ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const request = anIssueRequest({ developer_email: email, purpose: CANARIES.purpose })
  const token = await ask('/v1/vat/issue/l1', request)
  const action = { vat_jti: token.jti, action: 'read', resource: 'calendar:events' }
  const metadata = { about: CANARIES.metadata }
  const { aar_id } = await ask('/v1/vat/record/action', { ...action, result: 'success', metadata })
  await ask(`/v1/vat/aar/${aar_id}/feedback`, { rating: 'approved', note: CANARIES.note })
  const { aar_id: completed_id } = await ask('/v1/vat/authorize', { ...action, metadata })
  await ask(`/v1/vat/aar/${completed_id}/complete`, {
    result: 'success',
    metadata: { about: CANARIES.completion },
  })
  const asking = await ask('/v1/vat/issue/l1', { ...request, constraints: { require_approval: {} } })
  const { approval_id } = await ask('/v1/vat/authorize', {
    ...action,
    vat_jti: asking.jti,
    metadata: { about: CANARIES.question },
  })
  await ask(`/v1/vat/approvals/${approval_id}/approve`, { note: CANARIES.decision })
  await ask('/v1/vat/revoke', { vat_jti: asking.jti, reason: CANARIES.reason })
  return {
    human_ref: token.claims.svc_human_ref,
    jti: token.jti,
    compact_jwt: token.compact_jwt,
    revoked_jti: asking.jti,
    aar_id,
    completed_id,
    approval_id,
    repeat: () =>
      Promise.all(calls.map(({ path, body, key }) => client.post(path, body, { 'idempotency-key': key }))),
  }
}

/** Everything that the API returns about this person, as text. */
async function shownOf(client: HttpClient, life: Life): Promise<{ text: string; erased: unknown[] }> {
  const answers = await Promise.all(
    [
      `/v1/vat/tokens/${life.jti}`,
      `/v1/vat/tokens/${life.revoked_jti}`,
      `/v1/vat/aar/${life.aar_id}`,
      `/v1/vat/aar/${life.completed_id}`,
      `/v1/vat/approvals/${life.approval_id}`,
    ].map((path) => client.get(path)),
  )
  const lists = await Promise.all(
    ['/v1/vat/tokens', '/v1/vat/aar', '/v1/vat/approvals', `/v1/vat/tokens/${life.jti}/chain`].map((path) =>
      client.get(path),
    ),
  )
  for (const { status } of [...answers, ...lists]) assert.equal(status, 200)
  return {
    text: JSON.stringify([...answers, ...lists].map(({ body }) => body)),
    erased: answers.map(({ body }) => body.erased),
  }
}

/** The encodings in which a text may occur in a file. In base64 it has three alignments. */
function formsOf(secret: string | Buffer): (string | Buffer)[] {
  const bytes = Buffer.from(secret)
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .slice(4, -4),
  )
  const wide = typeof secret === 'string' ? [Buffer.from(secret, 'utf16le')] : []
  return [bytes, ...wide, hex, hex.toUpperCase(), ...base64]
}

/** Names of the files that contain a secret in any encoding. */
function tracesOf(directory: string, secret: string | Buffer): string[] {
  const forms = formsOf(secret)
  return filesBelow(directory)
    .filter(({ bytes }) => forms.some((form) => bytes.includes(form)))
    .map(({ name }) => name)
}

function assertNoCanary(directory: string): void {
  for (const canary of Object.values(CANARIES)) assert.deepEqual(tracesOf(directory, canary), [], canary)
}

function wrappedKeys(directory: string): Buffer[] {
  return storeRows(directory, 'SELECT wrapped FROM data_keys ORDER BY data_key').map(
    ({ wrapped }) => Buffer.from(wrapped as Uint8Array), // the column holds nothing else
  )
}

async function started(t: TestScope): Promise<{ directory: string; program: Program; client: HttpClient }> {
  const directory = temporaryDirectory(t)
  const program = await aProgram(t, directory, { DEPUTY_LOG_LEVEL: 'trace' })
  return { directory, program, client: httpClient(t, program.url) }
}

const erase = (client: HttpClient, human_ref: string) => client.delete(`/v1/vat/humans/${human_ref}`)

describe('erasing a person', () => {
  test('the search for canaries finds one in any encoding', (t) => {
    const directory = temporaryDirectory(t)
    const file = new DatabaseSync(join(directory, 'deputy.db'))
    file.exec('CREATE TABLE words (word)')
    const forms = ['plain', 'wide', 'hex', 'base64'].map((name) => ({ name, secret: `secret-of-${name}` }))
    for (const { name, secret } of forms) {
      const bytes = name === 'wide' ? Buffer.from(secret, 'utf16le') : Buffer.from(secret)
      const kept = name === 'hex' || name === 'base64' ? bytes.toString(name) : bytes
      file.prepare('INSERT INTO words VALUES (?)').run(kept)
    }
    file.close()
    for (const { secret } of forms) assert.deepEqual(tracesOf(directory, secret), ['deputy.db'], secret)
    assert.deepEqual(tracesOf(directory, 'another secret'), [])
  })

  test('no text is stored in the clear before, none can be read after, and the log is unchanged', async (t) => {
    const { directory, program, client } = await started(t)
    const life = await aLife(client)
    const other = await aLife(client, 'somebody.else@canary.example')
    const before = await shownOf(client, life)
    for (const [name, canary] of Object.entries(CANARIES))
      if (name !== 'email') assert.ok(before.text.includes(canary), name)
    assertNoCanary(directory)
    assert.deepEqual(tracesOf(directory, life.compact_jwt), [])
    const keys = wrappedKeys(directory)
    assert.equal(keys.length, 2)
    const [wrapped] = keys
    assert.ok(wrapped !== undefined && tracesOf(directory, wrapped).length > 0)
    const leaves = leafTexts(directory)

    const { status, body } = await erase(client, life.human_ref)
    assert.equal(status, 200, JSON.stringify(body))
    const { erased_at, ...rest } = body
    assert.deepEqual(rest, {
      erased: true,
      already_erased: false,
      human_ref: life.human_ref,
      revoked_count: 1,
    })
    assert.deepEqual(tracesOf(directory, wrapped), [])
    assert.deepEqual(leafTexts(directory).slice(0, leaves.length), leaves)
    const told = leafTexts(directory)
      .slice(leaves.length)
      .map((leaf) => JSON.parse(leaf))
    assert.deepEqual(
      told.map(({ type, human_ref, at }) => ({ type, human_ref, at })),
      ['human.revoked', 'human.erased'].map((type) => ({ type, human_ref: life.human_ref, at: erased_at })),
    )
    await auditStore(directory) // hashes every leaf again, up to the same root

    const gone = await shownOf(client, life)
    assert.deepEqual(gone.erased, [true, true, true, true, true])
    const unshared = JSON.stringify(
      await Promise.all(
        [`/v1/vat/aar/${life.aar_id}`, `/v1/vat/tokens/${life.jti}`].map((path) => client.get(path)),
      ),
    )
    assert.ok(!unshared.includes('canary'))
    assert.deepEqual((await shownOf(client, other)).erased, Array(5).fill(undefined))

    const again = await erase(client, life.human_ref)
    assert.deepEqual(again.body, { ...body, already_erased: true, revoked_count: 0 })
    assert.equal(leafTexts(directory).length, leaves.length + 2)
    const { body: human } = await client.get(`/v1/vat/humans/${life.human_ref}`)
    assert.deepEqual([human.tokens, human.live_tokens, human.erased_at], [2, 0, erased_at])

    for (const { body: repeated } of await life.repeat())
      for (const secret of [CANARIES.question, CANARIES.note, life.compact_jwt])
        assert.ok(!JSON.stringify(repeated).includes(secret))
    for (const { headers } of await other.repeat()) assert.equal(headers['idempotency-replayed'], 'true')

    const { body: metrics } = await client.get('/metrics')
    assert.equal(await program.stop(), 0)
    const places = { leaves: leafTexts(directory).join('\n'), metrics, output: program.output() }
    const { keys: signing, secret } = JSON.parse(readFileSync(join(directory, 'keys.json'), 'utf8'))
    for (const [place, text] of Object.entries(places))
      for (const hidden of [...Object.values(CANARIES), life.jti, life.compact_jwt, secret, signing[0].d])
        assert.ok(!text.includes(hidden), `${place} shows ${hidden}`)
    assertNoCanary(directory)
    assert.deepEqual(tracesOf(directory, wrapped), [])
  })

  test('an acknowledged erasure survives an immediate kill', async (t) => {
    const { directory, program, client } = await started(t)
    const life = await aLife(client)
    const [wrapped] = wrappedKeys(directory)
    assert.equal((await erase(client, life.human_ref)).status, 200)
    await program.kill()
    assert.ok(wrapped !== undefined)
    assert.deepEqual(tracesOf(directory, wrapped), [])
    const again = httpClient(t, (await aProgram(t, directory)).url)
    assert.deepEqual((await shownOf(again, life)).erased, [true, true, true, true, true])
    assert.equal((await erase(again, life.human_ref)).body.already_erased, true)
    await auditStore(directory)
  })

  test('after one person of a batch is erased, the stored answer to the batch is gone', async (t) => {
    const { client } = await started(t)
    const [one, two] = [await aLife(client, 'one@canary.example'), await aLife(client, 'two@canary.example')]
    const items = [one, two].map(({ jti }) => ({
      vat_jti: jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      metadata: { about: CANARIES.metadata },
    }))
    const batch = () => client.post('/v1/vat/record/batch', { items }, { 'idempotency-key': 'both' })
    const first = await batch()
    const second = await batch()
    assert.deepEqual([second.body, second.headers['idempotency-replayed']], [first.body, 'true'])
    assert.equal((await erase(client, one.human_ref)).status, 200)
    const third = await batch()
    assert.deepEqual(
      third.body.items.map((item: { status: number }) => item.status),
      [403, 200],
    )
    assert.notEqual(third.body.items[1].answer.aar_id, first.body.items[1].answer.aar_id)
    assert.equal(third.headers['idempotency-replayed'], undefined)
  })

  test('works while other callers page through everything and write', async (t) => {
    const { directory, client } = await started(t)
    const lives: Life[] = []
    for (let n = 0; n < 8; n++) lives.push(await aLife(client, `person.${n}@canary.example`))
    const [kept, ...leaving] = lives
    assert.ok(kept !== undefined)
    const item = {
      vat_jti: kept.jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      metadata: { about: CANARIES.metadata },
    }
    const items = Array.from({ length: 500 }, () => item)
    for (let n = 0; n < 4; n++)
      assert.equal((await client.post('/v1/vat/record/batch', { items })).status, 200)
    const keys = wrappedKeys(directory)

    let isOver = false
    let pages = 0
    async function page(): Promise<void> {
      let cursor = ''
      while (!isOver) {
        const { status, body } = await client.get(`/v1/vat/aar?limit=200${cursor}`)
        assert.equal(status, 200)
        pages += 1
        cursor = body.has_more ? `&cursor=${body.next_cursor}` : ''
      }
    }
    async function write(): Promise<void> {
      while (!isOver) assert.equal((await client.post('/v1/vat/record/action', item)).status, 200)
    }
    const busy = Promise.all([page(), page(), page(), write(), write()])
    for (const life of leaving) {
      const { status, body } = await erase(client, life.human_ref)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual((await shownOf(client, life)).erased, [true, true, true, true, true])
    }
    isOver = true
    await busy
    assert.ok(pages > 10, `only ${pages} pages were read meanwhile`)
    for (const wrapped of keys.slice(1)) assert.deepEqual(tracesOf(directory, wrapped), [])
    await auditStore(directory)
  })

  test("an erasure that can't be finished reports it, and a repeat finishes it", async (t) => {
    const { directory, client } = await started(t)
    const life = await aLife(client)
    const [wrapped] = wrappedKeys(directory)
    assert.ok(wrapped !== undefined)
    const outsider = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true })
    t.after(() => outsider.isOpen && outsider.close())
    outsider.exec('BEGIN')
    outsider.prepare('SELECT count(*) FROM leaves').get() // an open reader keeps the old pages

    const waiting = erase(client, life.human_ref)
    const meanwhile = await client.post('/v1/vat/issue/l1', anIssueRequest())
    assert.equal(meanwhile.status, 200)
    const { status, body, headers } = await waiting
    assert.deepEqual([status, body.code, headers['retry-after']], [503, 'storage_unavailable', '1'])
    assert.match(body.detail, /committed.*Repeat the request/)
    assert.equal((await client.get(`/v1/vat/aar/${life.aar_id}`)).body.erased, true)
    assert.equal((await client.get('/readyz')).status, 200)

    outsider.close()
    const again = await erase(client, life.human_ref)
    assert.deepEqual([again.status, again.body.already_erased], [200, true])
    assert.deepEqual(tracesOf(directory, wrapped), [])
  })

  test('a start after a crash clears the copies that an erasure could not', async (t) => {
    const { directory, program, client } = await started(t)
    const life = await aLife(client)
    const [wrapped] = wrappedKeys(directory)
    assert.ok(wrapped !== undefined)
    const outsider = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true })
    outsider.exec('BEGIN')
    outsider.prepare('SELECT count(*) FROM leaves').get()
    const unanswered = assert.rejects(erase(client, life.human_ref))
    for (let n = 0; n < 200; n++) {
      const { body } = await client.get(`/v1/vat/aar/${life.aar_id}`)
      if (body.erased === true) break
    }
    await program.kill()
    await unanswered
    assert.ok(tracesOf(directory, wrapped).length > 0, 'the crash left nothing to clear')
    outsider.close()
    const again = httpClient(t, (await aProgram(t, directory)).url)
    assert.deepEqual((await shownOf(again, life)).erased, [true, true, true, true, true])
    assert.deepEqual(tracesOf(directory, wrapped), [])
  })
})
