import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { append, emptyFrontier, encodeFrontier, leafHash, TILE_LEVELS } from '@deputize/protocol'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { checkData } from '../../src/check/check-data.ts'
import { withStore } from './edits.ts'
import { aRichStore } from './rich-store.ts'

const { directory } = await aRichStore({ after })

const PAGE_BYTES = 4096

function aCopy(context: TestContext): string {
  const copy = temporaryDirectory(context)
  cpSync(directory, copy, { recursive: true })
  return copy
}

function check(data_dir: string) {
  return checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
}

/** Runs SQL on a store without its triggers, and restores them. */
function tamper(data_dir: string, sql: string): void {
  withStore(join(data_dir, 'deputy.db'), (db) => {
    const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'`).all()
    for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
    db.exec(sql)
    for (const trigger of triggers) db.exec(String(trigger.sql))
  })
}

const A_RECORD = `(SELECT min(log_index) FROM records WHERE state = 1)`
const AN_OPEN_RECORD = '(SELECT max(log_index) FROM records WHERE state = 0)'
const A_CHILD = '(SELECT min(token_key) FROM tokens WHERE parent_key IS NOT NULL)'

/** Changes that hide or fake something, each with the sentence that reports it. */
const TAMPERED: Readonly<Record<string, readonly [sql: string, table: string, sentence: RegExp]>> = {
  'a leaf is missing in the middle': [
    'DELETE FROM leaves WHERE log_index = 2',
    'leaves',
    /^Leaf 2 is missing: the next one is 3\.$/,
  ],
  'the last leaf is missing': [
    'DELETE FROM leaves WHERE log_index = (SELECT max(log_index) FROM leaves)',
    'leaves',
    /^The log has \d+ leaves, but a checkpoint over \d+ was signed: leaves are missing at the end\.$/,
  ],
  'a leaf was rewritten': [
    `UPDATE leaves SET leaf = replace(leaf, '"read"', '"reap"') WHERE log_index = 5`,
    'leaves',
    /^Column leaf_hash of leaves 5 is 32 bytes/,
  ],
  'a leaf has an extra space': [
    `UPDATE leaves SET leaf = leaf || ' ' WHERE log_index = 3`,
    'leaves',
    /^Leaf 3 is not canonical JSON\.$/,
  ],
  'a leaf lost its salt': [
    `UPDATE leaves SET leaf = json_remove(leaf, '$.salt') WHERE log_index = 3`,
    'leaves',
    /^Leaf 3 has no salt, although earlier leaves have one\.$/,
  ],
  'a leaf has a short salt': [
    `UPDATE leaves SET leaf = json_set(leaf, '$.salt', 'AAAA') WHERE log_index = 3`,
    'leaves',
    /^Leaf 3 has an invalid salt\.$/,
  ],
  'the log head was changed': [
    'UPDATE log_head SET last_ms = last_ms + 1000',
    'log_head',
    /^Column last_ms of log_head 1 is \d+, but the log implies \d+\.$/,
  ],
  'a node of the tree was changed': [
    'UPDATE log_nodes SET hash = zeroblob(32)',
    'log_nodes',
    /^Column hash of log_nodes 1\/0 is 32 bytes/,
  ],
  'a record is missing': [
    `DELETE FROM records WHERE log_index = ${A_RECORD}`,
    'records',
    /^The records row of leaf \d+ is missing\.$/,
  ],
  'an outcome was changed': [
    `UPDATE records SET result_key = (SELECT result_key FROM records WHERE result_key > 1) WHERE log_index = ${A_RECORD}`,
    'records',
    /^Column result of records \d+ is "\w+", but the log implies "success"\.$/,
  ],
  'the end of a pending record was moved': [
    `UPDATE records SET expires_at_ms = expires_at_ms + 1 WHERE log_index = ${AN_OPEN_RECORD}`,
    'records',
    /^Column expires_at_ms of records \d+ is \d+/,
  ],
  'a rating was made better': [
    'UPDATE ratings SET rating = 0 WHERE rating = 2',
    'ratings',
    /^Column rating of ratings \d+ is 0, but the log implies 2\.$/,
  ],
  'a denial is missing': [
    'DELETE FROM denials WHERE log_index = (SELECT max(log_index) FROM denials)',
    'denials',
    /^The denials row of leaf \d+ is missing\.$/,
  ],
  'a reputation was improved': [
    `UPDATE agents SET outcome_halves = outcome_halves + 2 WHERE agent_id = 'busy-bot'`,
    'agents',
    /^Column outcome_halves of agents busy-bot is \d+, but the log implies \d+\.$/,
  ],
  'a token was given to another tenant': [
    `UPDATE tokens SET tenant_key = (SELECT name_key FROM names WHERE name = 'acme') WHERE token_key = 1`,
    'tokens',
    /^Column tenant_key of tokens 1 is \d+, but the log implies 0\.$/,
  ],
  'a token was taken from its tenant': [
    'UPDATE tokens SET tenant_key = 0 WHERE tenant_key > 0',
    'tokens',
    /^Column tenant_id of tokens \d+ is empty, but the log implies "acme"\.$/,
  ],
  'a name that is not a tenant looks like the first tenant': [
    `UPDATE names SET name = 'default' WHERE name = 'read'; UPDATE agents SET tenant_key = (
      SELECT name_key FROM names WHERE name = 'default') WHERE agent_id = 'busy-bot'`,
    'agents',
    /^Column tenant_key of agents busy-bot is \d+, but the log implies 0\.$/,
  ],
  'an agent was renumbered': [
    `UPDATE agents SET agent_key = agent_key + 1000 WHERE agent_id = 'umbrella:calendar-bot'`,
    'agents',
    /^Agent umbrella:calendar-bot should have number \d+: agents are numbered without gaps\.$/,
  ],
  'a profile was changed': [
    `UPDATE agents SET profile = replace(profile, 'Known', 'Trusted') WHERE agent_id = 'known-bot'`,
    'agents',
    /^Column profile of agents known-bot does not match its digest in the log\.$/,
  ],
  'an API key was given to another tenant': [
    `UPDATE registry SET tenant_id = 'other' WHERE id = 'key_1'`,
    'registry',
    /^Column tenant_id of registry api_key sha256:\w+ is "other", but the log implies "acme"\.$/,
  ],
  'a removed API key is back': [
    `UPDATE registry SET document = (SELECT document FROM registry WHERE id = 'key_1') WHERE id = 'key_3'`,
    'registry',
    /^Column document of registry api_key sha256:\w+ holds a text, but the log has no digest of one\.$/,
  ],
  'an API key has the document of another': [
    `UPDATE registry SET document = (SELECT document FROM registry WHERE id = 'key_1') WHERE id = 'key_2'`,
    'registry',
    /^Column document of registry api_key sha256:\w+ was changed, or was sealed for another row or column\.$/,
  ],
  'an API key is missing': [
    `DELETE FROM registry WHERE id = 'key_1'`,
    'registry',
    /^Row api_key sha256:\w+ of registry is missing\.$/,
  ],
  'an API key was added': [
    `INSERT INTO registry SELECT kind, 'key_9', tenant_id, owner, document, log_index FROM registry WHERE id = 'key_1'`,
    'registry',
    /^No leaf accounts for row api_key sha256:\w+ of registry\.$/,
  ],
  'a count of a workflow is missing': [
    'DELETE FROM workflow_tallies WHERE kind = 4',
    'workflow_tallies',
    /^Row prov_\w+ 4 success of workflow_tallies is missing\.$/,
  ],
  'a revocation was taken back': [
    'UPDATE token_states SET revoked_at_ms = NULL',
    'token_states',
    /^Column revoked_at_ms of token_states \d+ is empty, but the log implies \d+\.$/,
  ],
  'money was given back': [
    'UPDATE token_states SET spent_micro_usd = spent_micro_usd - 1 WHERE token_key = 1',
    'token_states',
    /^Column spent_micro_usd of token_states 1 is \d+/,
  ],
  'a token got more scope': [
    `UPDATE tokens SET claims = replace(claims, '"read"', '"read","admin"') WHERE token_key = 1`,
    'tokens',
    /^Column claims of tokens 1 does not match the hash in leaf 0\.$/,
  ],
  'a child was put below another parent': [
    `UPDATE tokens SET parent_key = NULL WHERE token_key = ${A_CHILD}`,
    'tokens',
    /^Column parent_key of tokens 2 is empty, but the log implies 1\.$/,
  ],
  'a used approval looks unused': [
    'UPDATE approvals SET used_by = NULL',
    'approvals',
    /^Column used_by of approvals \d+ is empty/,
  ],
  'a denial became an approval': [
    'UPDATE approvals SET state = 1 WHERE state = 2',
    'approvals',
    /^Column state of approvals \d+ is 1, but the log implies 2\.$/,
  ],
  'a text is gone': [
    'UPDATE tokens SET purpose = NULL WHERE token_key = 1',
    'tokens',
    /^Column purpose of tokens 1 is empty, but leaf 0 has a digest of its text\.$/,
  ],
  'a text was moved to another row': [
    `UPDATE ratings SET note = (SELECT note FROM ratings WHERE note IS NOT NULL ORDER BY 1 DESC)
      WHERE record_index = (SELECT min(record_index) FROM ratings WHERE note IS NOT NULL)`,
    'ratings',
    /^Column note of ratings \d+ (was changed, or was sealed for another row or column|is not sealed under the key of)/,
  ],
  'an erasure was taken back': [
    'UPDATE humans SET erased_at_ms = NULL',
    'humans',
    /^Column erased_at_ms of humans sha256:\w+ is empty/,
  ],
  'a data key was destroyed without an erasure': [
    'UPDATE data_keys SET wrapped = zeroblob(length(wrapped)) WHERE data_key = 1',
    'data_keys',
    /is destroyed, but the log has no erasure/,
  ],
  'a kept score was raised': [
    'UPDATE vouch_scores SET score = 999999',
    'vouch_scores',
    /^Row asked-bot of vouch_scores holds the score 999999, but the log of \d+ entries gives \d+\.$/,
  ],
  'a withdrawn vouch stands again': [
    'UPDATE vouches SET ended_index = NULL, ended_at_ms = NULL WHERE ended_index = (SELECT max(ended_index) FROM vouches)',
    'vouches',
    /^Column ended_at_ms of vouches vch_\w+ is empty, but the log implies \d+\.$/,
  ],
  'the revocation feed has a gap': [
    'DELETE FROM standing_changes WHERE log_index = (SELECT min(log_index) FROM standing_changes)',
    'standing_changes',
    /^The standing_changes row of leaf \d+ is missing\.$/,
  ],
  'a stored answer was changed': [
    `UPDATE replays SET fingerprint = 'sha256:0'`,
    'replays',
    /^The stored answer replays \S+ was changed, or was sealed for another row or column\.$/,
  ],
  'the store belongs to another deployment': [
    `UPDATE deployment SET value = 'x' WHERE name = 'instance'`,
    'deployment',
    /^The value of deployment instance does not belong to the keys of this deployment\.$/,
  ],
  'a trigger was added': [
    'CREATE TRIGGER mine AFTER INSERT ON records BEGIN DELETE FROM denials; END',
    'schema',
    /^The trigger mine does not belong to a Deputy store\.$/,
  ],
  'an index is missing': [
    'DROP INDEX records_by_token',
    'schema',
    /^The index records_by_token is missing\.$/,
  ],
  'the schema version was changed': [
    'PRAGMA user_version = 1',
    'schema',
    /^The schema says version 1, but this is version \d+\.$/,
  ],
}

/** Changes to the table of sessions, each with the sentence that reports it. */
const TAMPERED_SESSIONS: Readonly<Record<string, readonly [sql: string, sentence: RegExp]>> = {
  'an inserted session': [
    `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms)
      SELECT kind, 'another', value, owner, expires_at_ms FROM ephemeral WHERE kind = 'session' LIMIT 1`,
    /^The session in ephemeral row another was not written by this deployment, or was changed\./,
  ],
  'a prolonged session': [
    `UPDATE ephemeral SET expires_at_ms = expires_at_ms + 1 WHERE added = (SELECT min(added) FROM ephemeral)`,
    /was not written by this deployment, or was changed/,
  ],
  'a session of another person': [
    `UPDATE ephemeral SET owner = 'sha256:mallory' WHERE added = (SELECT min(added) FROM ephemeral)`,
    /was not written by this deployment, or was changed/,
  ],
  'a session without a seal': [
    `UPDATE ephemeral SET value = '{}' WHERE added = (SELECT min(added) FROM ephemeral)`,
    /was not written by this deployment, or was changed/,
  ],
}

describe('the check reports the row when', () => {
  for (const [name, [sql, table, sentence]] of Object.entries(TAMPERED)) {
    test(name, async (context) => {
      const copy = aCopy(context)
      tamper(copy, sql)
      const { faults } = await check(copy)
      assert.ok(
        faults.some((fault) => fault.table === table && sentence.test(fault.sentence)),
        JSON.stringify(faults.slice(0, 5), undefined, 2),
      )
    })
  }
})

describe('the check', () => {
  test('finds no fault in a sound store and changes none of its files', async () => {
    const before = filesOf(directory)
    const { faults, leaves, signed } = await check(directory)
    assert.deepEqual([faults, signed], [[], leaves])
    assert.deepEqual(filesOf(directory), before)
  })

  test('detects a changed leaf even if everything computed from it was changed too', async (context) => {
    const copy = aCopy(context)
    forge(copy)
    const { faults } = await check(copy)
    assert.deepEqual(faults, [
      {
        table: 'leaves',
        key: '',
        sentence: `The first ${(await check(directory)).leaves} leaves do not match the last signed checkpoint.`,
      },
    ])
  })

  test('accepts leaves without a salt before the first salted leaf, but not after it', async (context) => {
    const [early, late] = [aCopy(context), aCopy(context)]
    const unsalt = (where: string) =>
      `UPDATE leaves SET leaf = json_remove(leaf, '$.salt') WHERE ${where}; DELETE FROM checkpoints`
    tamper(early, unsalt('log_index < 5'))
    tamper(late, unsalt('log_index = 5'))
    const sentences = async (copy: string) => {
      rehash(copy)
      const { faults } = await check(copy)
      return faults.map(({ sentence }) => sentence).filter((one) => !one.includes('signed checkpoint'))
    }
    assert.deepEqual(await sentences(early), [])
    assert.deepEqual(await sentences(late), ['Leaf 5 has no salt, although earlier leaves have one.'])
  })

  for (const [name, [sql, sentence]] of Object.entries(TAMPERED_SESSIONS))
    test(`reports ${name}`, async (context) => {
      const data_dir = aCopy(context)
      withStore(join(data_dir, 'ephemeral.db'), (db) => db.exec(sql))
      const { faults } = await check(data_dir)
      assert.deepEqual(
        faults.map(({ table }) => table),
        ['ephemeral'],
        JSON.stringify(faults),
      )
      assert.match(faults[0]?.sentence ?? '', sentence)
    })

  test('reports sessions that are not in the log or that ended in it', async (context) => {
    const service = await aTestApp(context, { access: 'keyed' })
    const { create, end } = service.accessControl.sessions
    const sealed = () => service.ephemeralRows(`SELECT * FROM ephemeral WHERE kind = 'session'`)
    const { session } = await create({
      tenant_id: 'default',
      human_ref: 'sha256:ada',
      human_refs: ['sha256:ada'],
      assurance_level: 'L2',
      amr: [],
      auth_time_ms: service.clock(),
      sign_on: undefined,
    })
    const [row] = await sealed()
    await end(session.session_key)
    await service.ephemeralRows(
      `INSERT INTO ephemeral (kind, key, value, owner, expires_at_ms) VALUES ('session', '${row?.key}', '${row?.value}', '${row?.owner}', ${row?.expires_at_ms})`,
    )
    const expires_at_ms = service.clock() + 1
    await service.context.ephemeral.add('session', {
      key: 'unlogged',
      value: '{}',
      owner: undefined,
      expires_at_ms,
    })
    await service.close()
    const { faults } = await check(service.directory)
    assert.deepEqual(
      faults.map(({ sentence }) => sentence),
      [
        'No leaf records the begin of session unlogged.',
        `Session ${session.session_key} is stored, but the log records its end.`,
      ],
    )
  })

  test('reports a checkpoint that is missing or not signed by the log', async (context) => {
    const [without, foreign] = [aCopy(context), aCopy(context)]
    rmSync(join(without, 'checkpoint'))
    assert.match(String((await check(without)).faults[0]?.sentence), /^The last signed checkpoint is missing/)
    const note = readFileSync(join(foreign, 'checkpoint'), 'utf8')
    writeFileSync(join(foreign, 'checkpoint'), note.replace(/\n\d+\n/, '\n1\n'))
    assert.match(String((await check(foreign)).faults[0]?.sentence), /is not signed by the log/)
  })

  test('reports a key file that brings a withdrawn signing key back', async (context) => {
    const copy = aCopy(context)
    const file = join(copy, 'keys.json')
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"withdrawn_at"', '"retired_at"'))
    const { faults } = await check(copy)
    assert.deepEqual(
      faults.map(({ table }) => table),
      ['keys'],
    )
    assert.match(
      String(faults[0]?.sentence),
      /^The signing key [\w-]{43} is in use, although leaf \d+ withdraws it\./,
    )
  })

  test('reports how many leaves are not signed yet', async (context) => {
    const copy = aCopy(context)
    const older = withStore(join(copy, 'deputy.db'), (db) =>
      db.prepare('SELECT size, note FROM checkpoints WHERE size > 0 ORDER BY size LIMIT 1').get(),
    )
    writeFileSync(join(copy, 'checkpoint'), String(older?.note))
    const { faults, leaves, signed } = await check(copy)
    assert.deepEqual([faults, signed], [[], older?.size])
    assert.ok(signed < leaves)
  })

  test('reports damaged pages', async (context) => {
    const copy = aCopy(context)
    const file = join(copy, 'deputy.db')
    const root = withStore(file, (db) =>
      db.prepare(`SELECT rootpage FROM sqlite_schema WHERE name = 'records'`).get(),
    )
    const bytes = readFileSync(file)
    bytes.fill(0xff, (Number(root?.rootpage) - 1) * PAGE_BYTES, Number(root?.rootpage) * PAGE_BYTES)
    writeFileSync(file, bytes)
    const { faults } = await check(copy)
    assert.match(String(faults[0]?.sentence), /^The pages of the file are damaged/)
    assert.match(String(faults.at(-1)?.sentence), /^The rest of the store can't be read/)
  })

  test('refuses a directory without a readable store and keys', async (context) => {
    const [empty, keyless, newer, foreign] = [
      temporaryDirectory(context),
      aCopy(context),
      aCopy(context),
      aCopy(context),
    ]
    await assert.rejects(check(empty), { name: 'Uncheckable', message: /^There is no store in / })
    rmSync(join(keyless, 'keys.json'))
    await assert.rejects(check(keyless), { name: 'Uncheckable', message: /keys\.json is missing/ })
    tamper(newer, 'PRAGMA user_version = 999')
    await assert.rejects(check(newer), { name: 'Uncheckable', message: /newer version/ })
    writeFileSync(join(foreign, 'deputy.db'), 'not a store'.repeat(1000))
    await assert.rejects(check(foreign), { name: 'Uncheckable', message: /cannot be read/ })
  })
})

function filesOf(data_dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(data_dir).map((name) => [name, hash('sha256', readFileSync(join(data_dir, name)))]),
  )
}

/** Changes the trace of a record in its leaf and its row, and recomputes every hash, node and head. */
function forge(data_dir: string): void {
  const file = join(data_dir, 'deputy.db')
  const { log_index, leaf } = withStore(file, (db) => ({
    ...db.prepare(`SELECT log_index, leaf FROM leaves WHERE leaf LIKE '%"trace_id":"4444%'`).get(),
  }))
  const forged = String(leaf).replace('"trace_id":"4444', '"trace_id":"5444')
  tamper(
    data_dir,
    `UPDATE leaves SET leaf = '${forged}' WHERE log_index = ${log_index};
    UPDATE records SET trace_id = '5' || substr(trace_id, 2) WHERE log_index = ${log_index};
    DELETE FROM checkpoints;`,
  )
  rehash(data_dir)
}

/** Computes every hash, node and the head again from the leaves. */
function rehash(data_dir: string): void {
  const file = join(data_dir, 'deputy.db')
  const frontier = emptyFrontier()
  const updates = ['DELETE FROM log_nodes']
  const hex = (bytes: Uint8Array) => `x'${Buffer.from(bytes).toString('hex')}'`
  withStore(file, (db) => {
    for (const row of db.prepare('SELECT log_index, leaf FROM leaves ORDER BY log_index').all()) {
      const hash = leafHash(String(row.leaf))
      updates.push(`UPDATE leaves SET leaf_hash = ${hex(hash)} WHERE log_index = ${row.log_index}`)
      append(frontier, hash, ({ level, index }, node) => {
        if (level % TILE_LEVELS === 0)
          updates.push(`INSERT INTO log_nodes VALUES (${level / TILE_LEVELS}, ${index}, ${hex(node)})`)
      })
    }
  })
  updates.push(`UPDATE log_head SET frontier = ${hex(encodeFrontier(frontier))}`)
  tamper(data_dir, updates.join(';'))
}
