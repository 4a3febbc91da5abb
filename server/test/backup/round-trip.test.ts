import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aDatabase, command } from '@deputize/testing/a-database.ts'
import { refusedStart } from '@deputize/testing/program.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { type BackupReport, backUp, type DeploymentPlace } from '../../src/backup/back-up.ts'
import { readBackupManifest } from '../../src/backup/backup-file.ts'
import { schemaFor } from '../../src/backup/restorable.ts'
import { restore } from '../../src/backup/restore.ts'
import { type RestoreOptions, RestoreRefused, type RestoreReport } from '../../src/backup/restore-options.ts'
import { checkData } from '../../src/check/check-data.ts'
import { readKeyFile } from '../../src/keys/key-file.ts'
import { knownSchema } from '../../src/store/postgres/migration-files.ts'
import { newestSchema } from '../../src/store/sqlite/schema-drift.ts'
import { aRichStore } from '../check/rich-store.ts'
import { leafTexts } from '../e2e/audit-store.ts'

const YEAR_MS = 365 * 86_400_000
const PASSPHRASE = 'correct horse battery staple'

/** Lets writes of this process beyond a file size fail, or ends that. Returns whether this machine can do so. */
function limitFiles(bytes: string): boolean {
  return spawnSync('prlimit', ['--pid', String(process.pid), `--fsize=${bytes}:`]).status === 0
}

const canLimitFiles = limitFiles('unlimited')

const { directory: lived } = await aRichStore({ after })

/** Moves a deployment with rows in every table from a directory to a database and back, through backups. */
describe('a backup of a deployment with rows in every table', async () => {
  const work = temporaryDirectory({ after })

  const checkpointIn = (directory: string) => join(directory, 'checkpoint')
  const backedUp = (place: DeploymentPlace, name: string, changes = {}) =>
    backUp({
      place,
      to: join(work, name),
      passphrase: PASSPHRASE,
      checkpoint_file: checkpointIn(place.data_dir),
      scratch: work,
      checks_content: true,
      scrypt_cost: 1024,
      onProgress: () => undefined,
      ...changes,
    })
  const restored = (name: string, directory: string, changes: Partial<RestoreOptions> = {}) =>
    restore({
      from: join(work, name),
      passphrase: PASSPHRASE,
      target: { data_dir: directory },
      checkpoint_file: checkpointIn(directory),
      known_notes: [readFileSync(checkpointIn(lived), 'utf8')],
      accepts_loss: false,
      log_origin: undefined,
      events_file: undefined,
      onProgress: () => undefined,
      ...changes,
    })
  const soundness = async (data_dir: string) => {
    const { faults, leaves } = await checkData({ data_dir, checkpoint_file: checkpointIn(data_dir) })
    return { faults, leaves }
  }
  const refusal = (attempt: Promise<RestoreReport | BackupReport>) =>
    attempt.then(
      () => 'done',
      (error: Error) => error.message,
    )

  const first = await backedUp({ data_dir: lived }, 'first')

  test('is one file that names its log, and leaves nothing beside it', async () => {
    const { log, checkpoint } = await readBackupManifest(join(work, 'first'))
    assert.equal(log.size, leafTexts(lived).length)
    assert.equal(checkpoint, readFileSync(checkpointIn(lived), 'utf8'))
    assert.ok(first.checked && first.rows > 1_000)
    assert.deepEqual(readdirSync(work), ['first'])
    const text = readFileSync(join(work, 'first'), 'latin1')
    const { secret } = readKeyFile(lived).document
    assert.ok(!text.includes(secret) && !text.includes('calendar:events'))
  })

  test('is restored with every row, and the log continues if nothing published is missing', async () => {
    const directory = join(work, 'second-home')
    const report = await restored('first', directory)
    assert.deepEqual(report.continuity, { continues: true, newest_size: undefined })
    assert.deepEqual(report.check.faults, [])
    assert.deepEqual(await soundness(directory), { faults: [], leaves: first.manifest.log.size + 1 })
    const { restores, ...keys } = readKeyFile(directory).document
    assert.deepEqual(keys, readKeyFile(lived).document)
    assert.deepEqual(
      restores?.map(({ log_size }) => log_size),
      [first.manifest.log.size],
    )
    const again = await backedUp({ data_dir: directory }, 'again', { checks_content: false })
    const { leaves: _, ...others } = first.tables
    const { leaves: __, ...same } = again.tables
    assert.deepEqual(same, others)
    const leaf = JSON.parse(leafTexts(directory).at(-1) ?? '')
    assert.deepEqual(
      [leaf.type, leaf.backed_up_at, leaf.origin, leaf.continues],
      ['deployment.restored', first.manifest.created_at, first.manifest.log.origin, true],
    )
  })

  test('starts a new log if it is unknown what was published since', async () => {
    const directory = join(work, 'third-home')
    const report = await restored('first', directory, { known_notes: [] })
    const { origin } = first.manifest.log
    assert.deepEqual([report.continuity.continues, report.log.origin], [false, `${origin}/restored/1`])
    assert.deepEqual(await soundness(directory), { faults: [], leaves: first.manifest.log.size + 1 })
    const [old, own] = [lived, directory].map((place) => readKeyFile(place).document)
    assert.notEqual(own?.log?.d, old?.log?.d)
    assert.deepEqual([own?.secret, own?.keys], [old?.secret, old?.keys])
  })

  test('of any schema that could be backed up has columns to be restored into', () => {
    const newest = newestSchema().version
    for (let schema = 11; schema <= knownSchema(); schema += 1) {
      const like = schemaFor({ store: 'postgres', schema }) ?? 0
      assert.ok(like >= 14 && like <= newest, `schema ${schema} of PostgreSQL`)
    }
  })

  test('is restored to a database and back without losing a value', async (t) => {
    const url = await aDatabase(t)
    const node = join(work, 'node')
    const target = { url, data_dir: node, master_key_file: undefined, allow_unsafe: true }
    const report = await restored('first', node, { target })
    assert.deepEqual(report.check.faults, [])
    assert.ok(report.continuity.continues)
    assert.deepEqual(readdirSync(node).sort(), ['checkpoint', 'master.key'])
    const place = { url, data_dir: node, master_key_file: join(node, 'master.key') }
    const fromDatabase = await backedUp(place, 'from-database')
    const { leaves: _, ...others } = first.tables
    const { leaves: __, ...same } = fromDatabase.tables
    assert.deepEqual(same, others)
    assert.equal(fromDatabase.manifest.store, 'postgres')
    const known_notes = [readFileSync(checkpointIn(node), 'utf8')]
    const home = join(work, 'fifth-home')
    assert.deepEqual((await restored('from-database', home, { known_notes })).check.faults, [])
    assert.deepEqual(await soundness(home), { faults: [], leaves: first.manifest.log.size + 2 })
    assert.match(await refusal(restored('first', join(work, 'node-2'), { target })), /is not empty/)
  })

  test('is restored to a database with its time, whatever the clock of the machine says', async (t) => {
    const url = await aDatabase(t)
    const target = { url, data_dir: join(work, 'ahead'), master_key_file: undefined, allow_unsafe: true }
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 10 * YEAR_MS })
    await restored('first', target.data_dir, { target })
    t.mock.timers.reset()
    const [{ leaf }] = await command(url, 'SELECT leaf FROM leaves ORDER BY log_index DESC LIMIT 1')
    const { type, at } = JSON.parse(leaf)
    assert.equal(type, 'deployment.restored')
    assert.ok(Date.parse(at) < Date.now() + YEAR_MS, at) // the deployment itself is a little ahead
  })

  test('is not begun in a database if the events of later stops cannot be read', async (t) => {
    const url = await aDatabase(t)
    const node = join(work, 'node-3')
    const target = { url, data_dir: node, master_key_file: undefined, allow_unsafe: true }
    const events_file = join(work, 'torn.jsonl')
    const missing = await refusal(restored('first', node, { target, events_file }))
    assert.match(missing, /^--events: .*torn\.jsonl cannot be read: ENOENT/)
    writeFileSync(events_file, '{"type":"token.rev')
    const torn = await refusal(restored('first', node, { target, events_file }))
    assert.match(torn, /^Line 1 of .*torn\.jsonl is not an event/)
    assert.deepEqual(
      (await restored('first', node, { target })).check.faults,
      [],
      'the database is still empty',
    )
  })

  test('leaves nothing that a service starts on if its restore is interrupted', async () => {
    const [home, interrupted] = [join(work, 'seventh-home'), join(work, 'interrupted')]
    const onProgress = () => {
      if (!existsSync(interrupted)) cpSync(home, interrupted, { recursive: true }) // what a crash leaves
    }
    await restored('first', home, { onProgress })
    const { code, output } = await refusedStart(interrupted)
    assert.deepEqual(
      [code, /holds an interrupted restore .*deputy restore again/.test(output)],
      [78, true],
      output,
    )
    assert.match(await refusal(restored('first', interrupted)), /holds an interrupted restore/)
    assert.ok(!existsSync(join(interrupted, 'keys.json')))
  })

  test('is refused, and leaves nothing behind, if it would do harm', async () => {
    const busy = join(work, 'busy')
    mkdirSync(busy)
    writeFileSync(join(busy, 'notes.txt'), '')
    assert.match(await refusal(restored('first', busy)), /is not empty \(it holds notes\.txt\)/)
    assert.match(await refusal(restored('first', join(busy, 'notes.txt'))), /notes\.txt is not a directory/)
    assert.match(
      await refusal(restored('busy', join(work, 'never'))),
      /busy cannot be read: it is not a file/,
    )
    const place = { data_dir: lived }
    assert.match(await refusal(backedUp(place, 'first')), /never overwritten/)
    assert.match(await refusal(backedUp(place, 'short', { passphrase: 'short' })), /at least 12 characters/)
    assert.match(await refusal(backedUp({ data_dir: busy }, 'none')), /There is no deployment in/)
    const fresh = join(work, 'never')
    const other = readFileSync(checkpointIn(join(work, 'third-home')), 'utf8')
    assert.match(await refusal(restored('first', fresh, { known_notes: [other] })), /is not one of the log/)
    assert.match(
      await refusal(restored('first', fresh, { passphrase: 'another passphrase' })),
      /passphrase does not open/,
    )
    assert.deepEqual(
      readdirSync(work).filter((name) => /short|none|never|partial|check-/.test(name)),
      [],
    )
  })

  test('that is damaged leaves an empty directory, also if the checkpoint file has a directory of its own in it', async () => {
    const whole = readFileSync(join(work, 'first'))
    const at = whole.length - 100
    writeFileSync(join(work, 'changed'), whole.fill((whole[at] ?? 0) ^ 1, at, at + 1))
    const directory = join(work, 'eighth-home')
    const checkpoint_file = join(directory, 'log', 'checkpoint')
    assert.match(await refusal(restored('changed', directory, { checkpoint_file })), /was changed or cut off/)
    assert.deepEqual(readdirSync(directory), ['deputy.lock'])
  })

  test('that lacks published entries is restored only if the loss is accepted, then reapplies stops', async () => {
    const later = readFileSync(checkpointIn(join(work, 'second-home')), 'utf8')
    const home = join(work, 'sixth-home')
    const attempt = restored('first', home, { known_notes: [later] })
    const error = await attempt.catch((cause: unknown) => cause)
    assert.ok(error instanceof RestoreRefused && error.is_loss, String(error))
    const { size } = first.manifest.log
    const events_file = join(work, 'events.jsonl')
    const event = (log_index: number, type: string, data: object) =>
      JSON.stringify({ id: `evt_${log_index}`, type, log_index, tenant_id: 'default', data })
    const { kid } =
      readKeyFile(lived).document.keys.find(
        ({ active_from, retired_at }) => active_from !== undefined && retired_at === undefined,
      ) ?? {}
    writeFileSync(
      events_file,
      [
        event(size, 'agent.suspended', { agent_id: 'agent:sub-bot', suspended_by: 'operator' }),
        event(size + 1, 'agent.revoked', { agent_id: 'agent:sub-bot' }),
        event(size + 2, 'token.revoked', { vat_jti: `vat_root_${'0'.repeat(36)}` }),
        event(size + 3, 'key.withdrawn', { kid, from: first.manifest.created_at }),
        event(size + 4, 'registry.changed', { kind: 'api_key', removed: true }),
        '',
      ].join('\n'),
    )
    const report = await restored('first', home, { known_notes: [later], accepts_loss: true, events_file })
    assert.deepEqual(report.continuity, { continues: false, newest_size: size + 1 })
    assert.deepEqual(report.reapplied, { applied: 3, unknown: 1, by_hand: { 'api_key removed': 1 } })
    assert.deepEqual((await soundness(home)).faults, [])
    const types = leafTexts(home)
      .slice(size)
      .map((text) => JSON.parse(text).type)
    assert.deepEqual(types, ['deployment.restored', 'agent.suspended', 'agent.revoked', 'key.withdrawn'])
    const withdrawn = readKeyFile(home).document.keys.find((key) => key.kid === kid)
    assert.equal(withdrawn?.withdrawn_from, first.manifest.created_at)
  })

  test('keeps the previous checkpoint in place until the new one replaces it, so that a retry knows what was published', {
    skip: !canLimitFiles && 'there is no prlimit here',
  }, async () => {
    const outside = join(work, 'outside')
    const checkpoint_file = join(outside, 'checkpoint')
    mkdirSync(outside)
    const published = readFileSync(checkpointIn(join(work, 'second-home')), 'utf8')
    writeFileSync(checkpoint_file, published)
    const events_file = join(work, 'one-stop.jsonl')
    const { size } = first.manifest.log
    const data = { agent_id: 'agent:sub-bot' }
    writeFileSync(
      events_file,
      JSON.stringify({ id: 'evt_1', type: 'agent.revoked', log_index: size, tenant_id: 'default', data }),
    )
    const home = join(work, 'ninth-home')
    const changes = { checkpoint_file, known_notes: [] }
    const withLimit = restored('first', home, {
      ...changes,
      events_file,
      accepts_loss: true,
      onProgress({ step }) {
        // The name of a new log is longer: there is space for a copy of the old checkpoint, not for the new one.
        if (step === 're-apply') limitFiles(String(published.length))
      },
    })
    const failed = await refusal(withLimit).finally(() => limitFiles('unlimited'))
    assert.match(failed, /The disk of .*checkpoint is full \(EFBIG/)
    assert.equal(readFileSync(checkpoint_file, 'utf8'), published)
    const retry = await restored('first', home, changes).catch((cause: unknown) => cause)
    assert.ok(retry instanceof RestoreRefused && retry.is_loss, String(retry))
    const report = await restored('first', home, { ...changes, accepts_loss: true })
    assert.equal(readFileSync(report.kept_checkpoint ?? '', 'utf8'), published)
    assert.ok(readFileSync(checkpoint_file, 'utf8').startsWith(`${report.log.origin}\n`))
  })
})
