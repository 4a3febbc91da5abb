import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { append, emptyFrontier, encodeFrontier, leafHash } from '@deputize/protocol'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import { sqliteReadStore } from '../../src/store/sqlite/read/read-store.ts'
import { sqliteWriteStore } from '../../src/store/sqlite/write/write-store.ts'

const MIGRATIONS = new URL('../../migrations/sqlite/', import.meta.url)
const OLD_FILES = readdirSync(MIGRATIONS)
  .filter((name) => name < '0004')
  .sort()
const NOW_MS = Date.parse('2027-01-01T00:00:00Z')
const WORDS = [
  'canary-purpose',
  'canary-metadata',
  'canary-note',
  'canary-reason',
  'canary-question',
  'canary-decision',
  'canary-jwt',
  'canary-answer',
]
const bodyDigest = hash('sha256', 'what the completion said', 'base64url')

/** A store from before texts were encrypted: the old schema, with one plaintext value of each kind. */
function anOldStore(scope: TestScope): string {
  const file = join(temporaryDirectory(scope), 'deputy.db')
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL')
  for (const name of OLD_FILES) db.exec(readFileSync(new URL(name, MIGRATIONS), 'utf8'))
  db.exec(`PRAGMA user_version = ${OLD_FILES.length}`)
  const leaves = ['{"at":"2026-12-31T00:00:00.000Z","n":0}', '{"at":"2026-12-31T00:00:00.000Z","n":1}']
  const frontier = emptyFrontier()
  for (const [index, leaf] of leaves.entries()) {
    append(frontier, leafHash(leaf))
    db.prepare('INSERT INTO leaves VALUES (?, ?, ?)').run(index, leafHash(leaf), leaf)
  }
  db.prepare('INSERT INTO log_head VALUES (1, ?, ?)').run(encodeFrontier(frontier), NOW_MS - 1000)
  const claims = JSON.stringify({
    sub: 'agent:bot',
    jti: 'vat_root_old',
    nbf: 0,
    exp: NOW_MS,
    svc_human_ref: 'sha256:someone',
    svc_scope: { resources: [], actions: [] },
    svc_assurance_level: 'L1',
    svc_provenance_ref: 'prov_old',
    svc_delegation_depth: 0,
    svc_root_jti: 'vat_root_old',
  })
  const issued = JSON.stringify({
    jti: 'vat_root_old',
    compact_jwt: 'canary-jwt',
    claims: JSON.parse(claims),
  })
  const many = JSON.stringify([
    { outcome: { human_ref: 'sha256:someone', metadata: 'canary-answer' } },
    { refusal: { code: 'token_unknown', detail: '', members: {} } },
  ])
  db.exec(`
    INSERT INTO deployment VALUES ('instance', 'test');
    INSERT INTO humans (human_key, human_ref) VALUES (1, 'sha256:someone');
    INSERT INTO agents (agent_key, agent_id, first_seen_ms) VALUES (1, 'bot', 0);
    INSERT INTO workflows VALUES (1, 'prov_old');
    INSERT INTO names VALUES (2, 'read'), (3, 'mail:inbox');
    INSERT INTO tokens (token_key, jti, root_key, agent_key, workflow_key, human_key, level, log_index, issued_at_ms,
      jwt_hash, claims, purpose, path, expires_at_ms)
    VALUES (1, 'vat_root_old', 1, 1, 1, 1, 1, 0, 0, 'sha256:x', '${claims}', 'canary-purpose', x'0000000000000001', ${NOW_MS});
    INSERT INTO token_states (token_key, revoked_at_ms, revoke_reason) VALUES (1, 5, 'canary-reason');
    INSERT INTO records VALUES (1, 'aar_old', 1, 2, 3, 1, 0, 1, NULL, 0, NULL, NULL, 0, 1, 0, 0, '${bodyDigest}', NULL,
      '{"canary":"canary-metadata"}');
    INSERT INTO ratings VALUES (1, 0, 0, 1, 'none', 'canary-note');
    INSERT INTO approvals (log_index, approval_id, token_key, action_key, resource_key, spend_micro_usd, metadata,
      binding, state, created_at_ms, expires_at_ms, note)
    VALUES (1, 'apr_old', 1, 2, 3, 0, '{"canary":"canary-question"}', 'b', 1, 0, 0, 'canary-decision');`)
  const addReplay = db.prepare('INSERT INTO replays VALUES (?, ?, ?, ?)')
  addReplay.run('one', 'f', issued, NOW_MS + 1000)
  addReplay.run('many', 'f', many, NOW_MS + 1000)
  db.close()
  return file
}

function openBoth(scope: TestScope, file: string) {
  const writer = sqliteWriteStore({
    file,
    instance: 'test',
    vault_key: TEST_VAULT_KEY,
    clock: manualClock(NOW_MS),
  })
  const reader = sqliteReadStore(file, TEST_VAULT_KEY)
  scope.after(async () => {
    await reader.close()
    writer.close()
  })
  const run = async (commands: Command[]): Promise<Reply[]> =>
    (await runBatch(writer, commands, (cause) => assert.fail(String(cause)))).replies
  return { reader, run }
}

/** The texts that any file of the directory contains in plaintext. */
function wordsIn(file: string): string[] {
  const files = readdirSync(dirname(file)).map((name) => readFileSync(join(dirname(file), name)))
  return WORDS.filter((word) => files.some((bytes) => bytes.includes(word)))
}

function columnsOf(file: string): unknown[] {
  const db = new DatabaseSync(file, { readOnly: true })
  try {
    return db
      .prepare(
        `SELECT m.name AS in_table, c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE c.name LIKE 'plain%'`,
      )
      .all()
  } finally {
    db.close()
  }
}

describe('a store from before texts were encrypted', () => {
  test('is encrypted when it is opened, and no plaintext remains', async (t) => {
    const file = anOldStore(t)
    assert.deepEqual(wordsIn(file), WORDS)
    const { reader } = openBoth(t, file)
    assert.deepEqual(wordsIn(file), [])
    assert.deepEqual(columnsOf(file), [])

    assert.deepEqual((await reader.words(['vat_root_old'])).get('vat_root_old'), {
      purpose: 'canary-purpose',
      revoke_reason: 'canary-reason',
      suspend_reason: undefined,
      erased: false,
    })
    const record = await reader.record('aar_old')
    assert.deepEqual(
      [record?.metadata, record?.rating?.note],
      ['{"canary":"canary-metadata"}', 'canary-note'],
    )
    assert.equal(record?.evidence, 'self_reported')
    const approval = await reader.approval('apr_old')
    assert.deepEqual(
      [approval?.metadata, approval?.note],
      ['{"canary":"canary-question"}', 'canary-decision'],
    )
  })

  test('still answers repeated requests and repeated completions', async (t) => {
    const { run } = openBoth(t, anOldStore(t))
    const replay = (key: string) => ({ key, fingerprint: 'f' })
    const probe = { kind: 'probe' } as const
    const [one, many, other, completed] = await run([
      { kind: 'cancel', aar_id: 'aar_old', evidence: 'self_reported', replay: replay('one') },
      { kind: 'many', items: [probe, probe], replay: replay('many') },
      {
        kind: 'cancel',
        aar_id: 'aar_old',
        evidence: 'self_reported',
        replay: { key: 'one', fingerprint: 'another' },
      },
      {
        kind: 'complete',
        aar_id: 'aar_old',
        result: 'success',
        result_hash: undefined,
        spend_micro_usd: undefined,
        metadata: undefined,
        completion: bodyDigest,
        evidence: 'self_reported',
      },
    ])
    assert.ok(one !== undefined && 'outcome' in one && one.replayed === true)
    assert.equal((one.outcome as { compact_jwt: string }).compact_jwt, 'canary-jwt') // as it was stored
    assert.ok(many !== undefined && 'outcome' in many)
    assert.equal((many.outcome as unknown[]).length, 2)
    assert.ok(other !== undefined && 'refusal' in other && other.refusal.code === 'idempotency_mismatch')
    assert.ok(completed !== undefined && 'outcome' in completed, JSON.stringify(completed))
  })

  test('keeps its triggers: immutable rows stay immutable', (t) => {
    const file = anOldStore(t)
    openBoth(t, file)
    const db = new DatabaseSync(file)
    t.after(() => db.close())
    assert.throws(() => db.exec(`UPDATE tokens SET jti = 'x'`), /never changes/)
    assert.throws(() => db.exec('UPDATE records SET spend_micro_usd = 1'), /never changes/)
    assert.throws(() => db.exec('UPDATE ratings SET rating = 2'), /never changes/)
  })

  test('can be erased', async (t) => {
    const { reader, run } = openBoth(t, anOldStore(t))
    await run([{ kind: 'erase_human', human_ref: 'sha256:someone' }])
    const record = await reader.record('aar_old')
    assert.deepEqual([record?.metadata, record?.rating?.note, record?.erased], [undefined, undefined, true])
    const [again] = await run([
      {
        kind: 'cancel',
        aar_id: 'aar_old',
        evidence: 'self_reported',
        replay: { key: 'one', fingerprint: 'f' },
      },
    ])
    assert.ok(again !== undefined && 'refusal' in again && again.refusal.code === 'record_closed')
  })

  test('that crashed before the plaintext was removed is cleaned at the next start', async (t) => {
    const file = anOldStore(t)
    const seal = () =>
      sqliteWriteStore({ file, instance: 'test', vault_key: TEST_VAULT_KEY, clock: manualClock(NOW_MS) })
    seal().close()
    const db = new DatabaseSync(file)
    db.exec(`PRAGMA secure_delete = OFF; CREATE TABLE gone (word TEXT); INSERT INTO gone VALUES ('canary-note');
      DROP TABLE gone; INSERT INTO deployment VALUES ('to_clear', '')`)
    db.close()
    assert.deepEqual(wordsIn(file), ['canary-note'])
    seal().close()
    assert.deepEqual(wordsIn(file), [])
  })

  test('does not open with the secret of another deployment', (t) => {
    const file = anOldStore(t)
    openBoth(t, file)
    const open = () =>
      sqliteWriteStore({
        file,
        instance: 'test',
        vault_key: new Uint8Array(32),
        clock: manualClock(NOW_MS),
      })
    assert.throws(open, /sealed with a different secret/)
  })
})
