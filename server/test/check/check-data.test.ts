import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { append, emptyFrontier, encodeFrontier, leafHash, TILE_LEVELS } from '@deputize/protocol'
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

/** Runs SQL on a store as somebody who takes its triggers away before and puts them back after. */
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

/** What somebody may want to hide or to claim, and the sentence that tells of it. */
const TAMPERED: Readonly<Record<string, readonly [sql: string, table: string, sentence: RegExp]>> = {
  'a leaf is missing in the middle': [
    'DELETE FROM leaves WHERE log_index = 2',
    'leaves',
    /^Leaf 2 is missing: the next one there is 3\.$/,
  ],
  'the last leaf is missing': [
    'DELETE FROM leaves WHERE log_index = (SELECT max(log_index) FROM leaves)',
    'leaves',
    /^The log has \d+ leaves, but a checkpoint over \d+ was signed: leaves are missing at its end\.$/,
  ],
  'a leaf was rewritten': [
    `UPDATE leaves SET leaf = replace(leaf, '"read"', '"reap"') WHERE log_index = 5`,
    'leaves',
    /^Column leaf_hash of leaves 5 holds 32 bytes/,
  ],
  'a leaf has a blank too many': [
    `UPDATE leaves SET leaf = leaf || ' ' WHERE log_index = 3`,
    'leaves',
    /^Leaf 3 is not canonical JSON\.$/,
  ],
  'the head is another': [
    'UPDATE log_head SET last_ms = last_ms + 1000',
    'log_head',
    /^Column last_ms of log_head 1 holds \d+, but from the log follows \d+\.$/,
  ],
  'a node of the tree is another': [
    'UPDATE log_nodes SET hash = zeroblob(32)',
    'log_nodes',
    /^Column hash of log_nodes 1\/0 holds 32 bytes/,
  ],
  'a record is missing': [
    `DELETE FROM records WHERE log_index = ${A_RECORD}`,
    'records',
    /^The row of records that leaf \d+ tells of is missing\.$/,
  ],
  'an outcome was changed': [
    `UPDATE records SET result_key = (SELECT result_key FROM records WHERE result_key > 1) WHERE log_index = ${A_RECORD}`,
    'records',
    /^Column result of records \d+ holds "\w+", but from the log follows "success"\.$/,
  ],
  'the end of a pending record was moved': [
    `UPDATE records SET expires_at_ms = expires_at_ms + 1 WHERE log_index = ${AN_OPEN_RECORD}`,
    'records',
    /^Column expires_at_ms of records \d+ holds \d+/,
  ],
  'a rating was made better': [
    'UPDATE ratings SET rating = 0 WHERE rating = 2',
    'ratings',
    /^Column rating of ratings \d+ holds 0, but from the log follows 2\.$/,
  ],
  'a denial is missing': [
    'DELETE FROM denials WHERE log_index = (SELECT max(log_index) FROM denials)',
    'denials',
    /^The row of denials that leaf \d+ tells of is missing\.$/,
  ],
  'a reputation was improved': [
    `UPDATE agents SET outcome_halves = outcome_halves + 2 WHERE agent_id = 'busy-bot'`,
    'agents',
    /^Column outcome_halves of agents busy-bot holds \d+, but from the log follows \d+\.$/,
  ],
  'a token was given to another tenant': [
    `UPDATE tokens SET tenant_key = (SELECT name_key FROM names WHERE name = 'acme') WHERE token_key = 1`,
    'tokens',
    /^Column tenant_key of tokens 1 holds \d+, but from the log follows 0\.$/,
  ],
  'a token was taken from its tenant': [
    'UPDATE tokens SET tenant_key = 0 WHERE tenant_key > 0',
    'tokens',
    /^Column tenant_id of tokens \d+ holds nothing, but from the log follows "acme"\.$/,
  ],
  'a name that is no tenant looks like the first': [
    `UPDATE names SET name = 'default' WHERE name = 'read'; UPDATE agents SET tenant_key = (
      SELECT name_key FROM names WHERE name = 'default') WHERE agent_id = 'busy-bot'`,
    'agents',
    /^Column tenant_key of agents busy-bot holds \d+, but from the log follows 0\.$/,
  ],
  'an agent has another number': [
    `UPDATE agents SET agent_key = agent_key + 1000 WHERE agent_id = 'umbrella:calendar-bot'`,
    'agents',
    /^Agent umbrella:calendar-bot is not number \d+: agents are numbered without a gap\.$/,
  ],
  'an agent has another profile': [
    `UPDATE agents SET profile = replace(profile, 'Known', 'Trusted') WHERE agent_id = 'known-bot'`,
    'agents',
    /^Column profile of agents known-bot is not what the log holds the digest of\.$/,
  ],
  'an API key was given to another tenant': [
    `UPDATE registry SET tenant_id = 'other' WHERE id = 'key_1'`,
    'registry',
    /^Column tenant_id of registry api_key sha256:\w+ holds "other", but from the log follows "acme"\.$/,
  ],
  'an API key that was removed is back': [
    `UPDATE registry SET document = (SELECT document FROM registry WHERE id = 'key_1') WHERE id = 'key_3'`,
    'registry',
    /^Column document of registry api_key sha256:\w+ holds something, but no leaf tells of it\.$/,
  ],
  'an API key has the document of another': [
    `UPDATE registry SET document = (SELECT document FROM registry WHERE id = 'key_1') WHERE id = 'key_2'`,
    'registry',
    /^Column document of registry api_key sha256:\w+ was changed, or was sealed for another place\.$/,
  ],
  'an API key is missing': [
    `DELETE FROM registry WHERE id = 'key_1'`,
    'registry',
    /^The row api_key sha256:\w+ of registry that follows from the log is missing\.$/,
  ],
  'an API key that nobody entered': [
    `INSERT INTO registry SELECT kind, 'key_9', tenant_id, owner, document, log_index FROM registry WHERE id = 'key_1'`,
    'registry',
    /^The row api_key sha256:\w+ of registry is one that the log tells nothing of\.$/,
  ],
  'a count of a workflow is missing': [
    'DELETE FROM workflow_tallies WHERE kind = 4',
    'workflow_tallies',
    /^The row prov_\w+ 4 success of workflow_tallies that follows from the log is missing\.$/,
  ],
  'a revocation was taken back': [
    'UPDATE token_states SET revoked_at_ms = NULL',
    'token_states',
    /^Column revoked_at_ms of token_states \d+ holds nothing, but from the log follows \d+\.$/,
  ],
  'money was given back': [
    'UPDATE token_states SET spent_micro_usd = spent_micro_usd - 1 WHERE token_key = 1',
    'token_states',
    /^Column spent_micro_usd of token_states 1 holds \d+/,
  ],
  'a token got more scope': [
    `UPDATE tokens SET claims = replace(claims, '"read"', '"read","admin"') WHERE token_key = 1`,
    'tokens',
    /^Column claims of tokens 1 is not what was hashed into leaf 0\.$/,
  ],
  'a child was put below another parent': [
    `UPDATE tokens SET parent_key = NULL WHERE token_key = ${A_CHILD}`,
    'tokens',
    /^Column parent_key of tokens 2 holds nothing, but from the log follows 1\.$/,
  ],
  'a used approval looks unused': [
    'UPDATE approvals SET used_by = NULL',
    'approvals',
    /^Column used_by of approvals \d+ holds nothing/,
  ],
  'a no became a yes': [
    'UPDATE approvals SET state = 1 WHERE state = 2',
    'approvals',
    /^Column state of approvals \d+ holds 1, but from the log follows 2\.$/,
  ],
  'words are gone': [
    'UPDATE tokens SET purpose = NULL WHERE token_key = 1',
    'tokens',
    /^Column purpose of tokens 1 holds nothing, but leaf 0 tells of words there\.$/,
  ],
  'words were moved to another row': [
    `UPDATE ratings SET note = (SELECT note FROM ratings WHERE note IS NOT NULL ORDER BY 1 DESC)
      WHERE record_index = (SELECT min(record_index) FROM ratings WHERE note IS NOT NULL)`,
    'ratings',
    /^Column note of ratings \d+ (was changed, or was sealed for another place|is sealed under a key of somebody else)/,
  ],
  'an erasure was taken back': [
    'UPDATE humans SET erased_at_ms = NULL',
    'humans',
    /^Column erased_at_ms of humans sha256:\w+ holds nothing/,
  ],
  'a key was destroyed in secret': [
    'UPDATE data_keys SET wrapped = zeroblob(length(wrapped)) WHERE data_key = 1',
    'data_keys',
    /is destroyed, but the log tells of no erasure/,
  ],
  'the feed of revocations has a gap': [
    'DELETE FROM standing_changes WHERE log_index = (SELECT min(log_index) FROM standing_changes)',
    'standing_changes',
    /^The row of standing_changes that leaf \d+ tells of is missing\.$/,
  ],
  'a kept answer was changed': [
    `UPDATE replays SET fingerprint = 'sha256:0'`,
    'replays',
    /^The answer kept as replays \S+ was changed, or was sealed for another place\.$/,
  ],
  'the store was given to another deployment': [
    `UPDATE deployment SET value = 'x' WHERE name = 'instance'`,
    'deployment',
    /^The value of deployment instance does not belong to the keys beside the store\.$/,
  ],
  'a trigger was added': [
    'CREATE TRIGGER mine AFTER INSERT ON records BEGIN DELETE FROM denials; END',
    'schema',
    /^The trigger mine is not part of a store of Deputy\.$/,
  ],
  'an index is missing': [
    'DROP INDEX records_by_token',
    'schema',
    /^The index records_by_token is missing\.$/,
  ],
  'the version was changed': [
    'PRAGMA user_version = 1',
    'schema',
    /^The schema says it is version 1, but it is \d\.$/,
  ],
}

describe('the check names the place when', () => {
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
  test('finds nothing wrong with a sound store, and changes none of its files', async () => {
    const before = filesOf(directory)
    const { faults, leaves, signed } = await check(directory)
    assert.deepEqual([faults, signed], [[], leaves])
    assert.deepEqual(filesOf(directory), before)
  })

  test('tells of a forger who changed a leaf and everything that is computed from it', async (context) => {
    const copy = aCopy(context)
    forge(copy)
    const { faults } = await check(copy)
    assert.deepEqual(faults, [
      {
        table: 'leaves',
        key: '',
        sentence: `The first ${(await check(directory)).leaves} leaves are not those over which the last checkpoint was signed.`,
      },
    ])
  })

  test('tells of a checkpoint that is missing or was not signed by the log', async (context) => {
    const [without, foreign] = [aCopy(context), aCopy(context)]
    rmSync(join(without, 'checkpoint'))
    assert.match(String((await check(without)).faults[0]?.sentence), /^The last signed checkpoint is missing/)
    const note = readFileSync(join(foreign, 'checkpoint'), 'utf8')
    writeFileSync(join(foreign, 'checkpoint'), note.replace(/\n\d+\n/, '\n1\n'))
    assert.match(String((await check(foreign)).faults[0]?.sentence), /is not signed by the log/)
  })

  test('says how much is not signed yet', async (context) => {
    const copy = aCopy(context)
    const older = withStore(join(copy, 'deputy.db'), (db) =>
      db.prepare('SELECT size, note FROM checkpoints WHERE size > 0 ORDER BY size LIMIT 1').get(),
    )
    writeFileSync(join(copy, 'checkpoint'), String(older?.note))
    const { faults, leaves, signed } = await check(copy)
    assert.deepEqual([faults, signed], [[], older?.size])
    assert.ok(signed < leaves)
  })

  test('tells of pages that are damaged', async (context) => {
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
    assert.match(String(faults.at(-1)?.sentence), /^The store cannot be read to its end/)
  })

  test('refuses what it cannot check', async (context) => {
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
    writeFileSync(join(foreign, 'deputy.db'), 'no store at all'.repeat(1000))
    await assert.rejects(check(foreign), { name: 'Uncheckable', message: /cannot be read/ })
  })
})

function filesOf(data_dir: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(data_dir).map((name) => [name, hash('sha256', readFileSync(join(data_dir, name)))]),
  )
}

/** Another trace for a record, in its leaf and its row, and every hash, node and head computed anew. */
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
    DELETE FROM log_nodes; DELETE FROM checkpoints;`,
  )
  const frontier = emptyFrontier()
  const updates: string[] = []
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
