import { Pool } from 'pg'
import { type Body, servePlainly } from './plain-service.ts'

/** A pool of 64 connections, and one durable transaction for each request. */
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 64 })
await pool.query(`
  CREATE TABLE records (
    aar_id TEXT PRIMARY KEY, vat_jti TEXT NOT NULL, action TEXT NOT NULL, resource TEXT NOT NULL,
    result TEXT NOT NULL, result_hash TEXT, spend_usd DOUBLE PRECISION, created_at_ms BIGINT NOT NULL
  );
  CREATE INDEX records_by_token ON records (vat_jti, created_at_ms);
  CREATE TABLE counters (
    vat_jti TEXT PRIMARY KEY, records BIGINT NOT NULL, spent_usd DOUBLE PRECISION NOT NULL
  ) WITH (fillfactor = 70);
`)
const INSERT_RECORD = {
  name: 'insert_record',
  text: 'INSERT INTO records VALUES ($1, $2, $3, $4, $5, $6, $7, $8)',
}
const UPDATE_COUNTERS = {
  name: 'update_counters',
  text: `INSERT INTO counters VALUES ($1, 1, $2) ON CONFLICT (vat_jti) DO UPDATE
    SET records = counters.records + 1, spent_usd = counters.spent_usd + excluded.spent_usd`,
}

async function inTransaction(aar_id: string, body: Body): Promise<void> {
  const { vat_jti, action, resource, result, result_hash = null, spend_usd = 0 } = body
  const client = await pool.connect()
  try {
    await client.query('BEGIN')
    const values = [aar_id, vat_jti, action, resource, result, result_hash, spend_usd, Date.now()]
    await client.query({ ...INSERT_RECORD, values })
    await client.query({ ...UPDATE_COUNTERS, values: [vat_jti, spend_usd] })
    await client.query('COMMIT')
  } finally {
    client.release()
  }
}

await servePlainly(inTransaction)
