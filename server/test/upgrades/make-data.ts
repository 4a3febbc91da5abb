/**
 * Writes an archive of a small deployment made by an earlier version:
 *
 *   npx node server/test/upgrades/make-data.ts <sqlite|postgres> <checkout of the earlier version, with its packages>
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { command, newDatabase } from '@deputize/testing/a-database.ts'
import { httpClient } from '@deputize/testing/http-client.ts'
import { okBody } from '@deputize/testing/ok-body.ts'
import { startProgram } from '@deputize/testing/program.ts'
import type { Row } from '../../src/store/values.ts'
import { OLD_PASSPHRASE } from './goes-on.ts'

/** The first schema of PostgreSQL whose version can make backups. */
const FIRST_BACKUP = 11

const [store, checkout] = process.argv.slice(2)
if ((store !== 'sqlite' && store !== 'postgres') || checkout === undefined)
  throw new Error('Name the store, sqlite or postgres, and the checkout of the earlier version.')
const cleanUps: (() => unknown)[] = []
const scope = { after: (clean: () => unknown) => void cleanUps.unshift(clean) }
const directory = mkdtempSync(join(tmpdir(), 'deputy-upgrade-'))
scope.after(() => rmSync(directory, { recursive: true, force: true }))

try {
  const files = migrationsOf(store, checkout)
  const target = fileURLToPath(new URL(`${store}-schema-${files.length}`, import.meta.url))
  if (store === 'sqlite') {
    await playOn(checkout, {})
    archive(`${target}.tar.gz`, 'deputy.db', 'keys.json', 'checkpoint')
  } else {
    const { url } = await newDatabase()
    await playOn(checkout, { DEPUTY_DATABASE_URL: url })
    writeFileSync(join(directory, 'database.sql'), await dumped(url, files))
    archive(`${target}.tar.gz`, 'database.sql', 'master.key', 'checkpoint')
    if (files.length >= FIRST_BACKUP) backUp(checkout, url, `${target}.backup`)
  }
} finally {
  for (const clean of cleanUps) await clean()
}

function archive(file: string, ...names: string[]): void {
  execFileSync('tar', ['-C', directory, '-czf', file, ...names])
  process.stdout.write(`${file}\n`)
}

function backUp(root: string, url: string, file: string): void {
  const args = ['backup', '--data', directory, '--database', url, '--to', file]
  execFileSync(process.execPath, [resolve(root, 'cli/bin/deputy.js'), ...args], {
    env: { PATH: process.env.PATH, ...OLD_PASSPHRASE },
    stdio: 'inherit',
  })
}

async function playOn(root: string, env: Record<string, string>): Promise<void> {
  const program = await startProgram(directory, env, [process.execPath, resolve(root, 'server/src/main.ts')])
  scope.after(() => program.kill())
  await play(program.url)
  await program.stop()
}

/** Two root tokens with a budget, one of them revoked, a delegated one, five actions, a denial and a rating. */
async function play(url: string): Promise<void> {
  const { post, close } = httpClient(scope, url)
  const issue = (agent_id: string) =>
    okBody(
      post('/v1/vat/issue/l1', {
        developer_email: 'dev@example.com',
        agent_id,
        resources: ['calendar:events'],
        actions: ['read', 'write', 'delegate'],
        constraints: { max_spend_usd: 10 },
      }),
    )
  const [live, revoked] = [await issue('upgrade-bot-1'), await issue('upgrade-bot-2')]
  const child = await okBody(
    post('/v1/vat/delegate', { vat_jti: live.jti, agent_id: 'upgrade-bot-3', actions: ['read'] }),
  )
  const record = (vat_jti: string, changes: Record<string, unknown>) =>
    okBody(
      post('/v1/vat/record/action', {
        vat_jti,
        action: 'read',
        resource: 'calendar:events',
        result: 'success',
        ...changes,
      }),
    )
  const rated = await record(live.jti, { spend_usd: 2, metadata: { words: 'of the person' } })
  await record(live.jti, { spend_usd: 0.5, result: 'error' })
  await record(child.jti, { spend_usd: 1 })
  await record(revoked.jti, { spend_usd: 1 })
  const authorize = (action: string) =>
    okBody(post('/v1/vat/authorize', { vat_jti: live.jti, action, resource: 'calendar:events' }))
  await authorize('write')
  await authorize('erase')
  await okBody(post(`/v1/vat/aar/${rated.aar_id}/feedback`, { rating: 'approved', note: 'as I asked' }))
  await okBody(post('/v1/vat/revoke', { vat_jti: revoked.jti, reason: 'no longer needed' }))
  close()
}

function migrationsOf(kind: 'sqlite' | 'postgres', root: string): string[] {
  const folder = resolve(root, 'server/migrations', kind)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
}

/** The statements that create the same tables with the same rows in an empty database. */
async function dumped(url: string, files: readonly string[]): Promise<string> {
  const { url: empty } = await newDatabase()
  const schema = [
    'CREATE TABLE migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL);\n',
    ...files.map((text) => `BEGIN;\n${text}COMMIT;\n`),
  ]
  for (const part of schema) await command(empty, part)
  const tables = await command(
    url,
    `SELECT quote_ident(relname) AS name FROM pg_class
     WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  )
  const rows: string[] = []
  for (const { name } of tables) rows.push(await rowsOf(url, String(name)))
  return [...schema, ...rows].join('')
}

async function rowsOf(url: string, table: string): Promise<string> {
  const [row]: Row[] = await command(url, `SELECT quote_literal(json_agg(t)::text) AS list FROM ${table} t`)
  const filled = `INSERT INTO ${table} SELECT * FROM json_populate_recordset(null::${table}, ${row?.list});\n`
  // Migrations have already inserted some rows.
  return `DELETE FROM ${table};\n${row?.list === null ? '' : filled}`
}
