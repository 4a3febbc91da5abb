/** Compiled against the declarations of the package, and never run. */
import {
  type ActionRecord,
  AuthorityDenied,
  deputy,
  isDeputyError,
  newAgentKey,
  verifyToken,
} from '@deputy/sdk'
import { deputyGuard } from '@deputy/sdk/express'

const client = deputy({ url: 'http://127.0.0.1:8420' })

export async function use(): Promise<string> {
  const token = await client.issueL1({
    developer_email: 'dev@example.com',
    agent_id: 'bot',
    resources: ['a:b'],
    actions: ['read'],
  })
  const me = client.withAuthority(token, { agent_key: await newAgentKey() })
  const found: number = await me.run('read', 'a:b', async () => 1)
  for await (const record of client.listRecords.all({ agent_id: 'bot' })) stateOf(record)
  // @ts-expect-error: a part of the path is missing
  await client.getRecord({})
  // @ts-expect-error: there is no such rating
  await client.rateRecord({ id: 'x', rating: 'fine' })
  // @ts-expect-error: there is no such constraint
  await client.delegate({ vat_jti: token.jti, agent_id: 'x', constraints: { max_spent_usd: 1 } })
  const { standing } = await verifyToken(token.compact_jwt, { url: client.url })
  return `${standing?.as_of} ${found}`
}

function stateOf({ aar_id, state }: ActionRecord): 'pending' | 'completed' | 'cancelled' | 'expired' {
  return aar_id === '' ? 'pending' : state
}

export const isKnown = (error: unknown) =>
  error instanceof AuthorityDenied || isDeputyError(error, 'scope_widening')

export const authority = deputyGuard({ url: client.url })('read', 'a:b')
