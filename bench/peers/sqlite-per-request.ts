import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fastify from 'fastify'

/**
 * What one would write first: Fastify, SQLite on the main thread, and one durable transaction for each request. It has
 * no tokens, no rules and no log, so it does less than record/action of Deputy and answers in the same shape.
 */
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
    const { vat_jti, action, resource, result, result_hash = null, spend_usd = 0 } = body
    db.exec('BEGIN IMMEDIATE')
    insertRecord.run(aar_id, vat_jti, action, resource, result, result_hash, spend_usd, Date.now())
    updateCounters.run(vat_jti, spend_usd)
    db.exec('COMMIT')
    return { recorded: true, aar_id, provenance_ref: vat_jti, trust_score: 0.5, delegation_depth: 0 }
  },
})

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
process.stdout.write(`address ${address}\n`)
