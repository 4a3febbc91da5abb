import { randomBytes } from 'node:crypto'
import fastify from 'fastify'
import { Pool } from 'pg'

/**
 * What one would write first on PostgreSQL: Fastify, a pool of 64 connections, and one durable transaction for each
 * request. It has no tokens, no rules and no log, so it does less than record/action of Deputy and answers in the same
 * shape.
 */
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

interface Body {
  vat_jti: string
  action: string
  resource: string
  result: string
  result_hash?: string
  spend_usd?: number
}

const text = { type: 'string' }
const number = { type: 'number' }
const app = fastify()

app.post<{ Body: Body }>('/v1/vat/record/action', {
  schema: {
    body: {
      type: 'object',
      required: ['vat_jti', 'action', 'resource', 'result'],
      properties: {
        vat_jti: text,
        action: text,
        resource: text,
        result: text,
        result_hash: text,
        spend_usd: number,
      },
    },
    response: {
      200: {
        type: 'object',
        properties: {
          recorded: { type: 'boolean' },
          aar_id: text,
          provenance_ref: text,
          trust_score: number,
          delegation_depth: number,
        },
      },
    },
  },
  handler: async ({ body }) => {
    const aar_id = `aar_${randomBytes(18).toString('hex')}`
    await inTransaction(aar_id, body)
    return {
      recorded: true,
      aar_id,
      provenance_ref: body.vat_jti,
      trust_score: 0.5,
      delegation_depth: 0,
    }
  },
})

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

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
process.stdout.write(`address ${address}\n`)
