import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { servePlainly } from './plain-service.ts'

/** SQLite on the main thread, and one durable transaction for each request. */
const db = new DatabaseSync(join(process.env.DEPUTY_DATA_DIR ?? '.', 'peer.db'))
db.exec(`
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE records (
    aar_id TEXT PRIMARY KEY, vat_jti TEXT NOT NULL, action TEXT NOT NULL, resource TEXT NOT NULL,
    result TEXT NOT NULL, result_hash TEXT, spend_usd REAL, created_at_ms INTEGER NOT NULL
  );
  CREATE INDEX records_by_token ON records (vat_jti, created_at_ms);
  CREATE TABLE counters (vat_jti TEXT PRIMARY KEY, records INTEGER NOT NULL, spent_usd REAL NOT NULL);
`)
const insertRecord = db.prepare('INSERT INTO records VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
const updateCounters = db.prepare(`
  INSERT INTO counters VALUES (?, 1, ?)
  ON CONFLICT DO UPDATE SET records = records + 1, spent_usd = spent_usd + excluded.spent_usd`)

await servePlainly((aar_id, { vat_jti, action, resource, result, result_hash = null, spend_usd = 0 }) => {
  db.exec('BEGIN IMMEDIATE')
  insertRecord.run(aar_id, vat_jti, action, resource, result, result_hash, spend_usd, Date.now())
  updateCounters.run(vat_jti, spend_usd)
  db.exec('COMMIT')
})
