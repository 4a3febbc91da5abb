import { randomBytes } from 'node:crypto'
import fastify from 'fastify'

export interface Body {
  vat_jti: string
  action: string
  resource: string
  result: string
  result_hash?: string
  spend_usd?: number
}

const text = { type: 'string' }
const number = { type: 'number' }

/**
 * The Fastify app that a developer would write first. It has no tokens, no rules and no log, so it does less than
 * Deputy's record/action, but answers in the same shape. `keep` makes one record durable.
 */
export async function servePlainly(
  keep: (aar_id: string, body: Body) => void | Promise<void>,
): Promise<void> {
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
      await keep(aar_id, body)
      return { recorded: true, aar_id, provenance_ref: body.vat_jti, trust_score: 0.5, delegation_depth: 0 }
    },
  })
  const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 0) })
  process.stdout.write(`address ${address}\n`)
}
