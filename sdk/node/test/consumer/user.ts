/** Compiled against the declarations of the package, never run. */
import {
  type ActionRecord,
  type ArgumentLimit,
  AuthorityDenied,
  deputy,
  isDeputyError,
  newAgentKey,
  verifyToken,
} from '@deputize/sdk'
import { governed as forAi, type ToolDenied } from '@deputize/sdk/ai'
import { deputyGuard } from '@deputize/sdk/express'
import { governed as forLangChain } from '@deputize/sdk/langchain'
import { governed as forOpenAi } from '@deputize/sdk/openai-agents'

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
  // @ts-expect-error: a path parameter is missing
  await client.getRecord({})
  // @ts-expect-error: unknown rating
  await client.rateRecord({ id: 'x', rating: 'fine' })
  // @ts-expect-error: unknown constraint
  await client.delegate({ vat_jti: token.jti, agent_id: 'x', constraints: { max_spent_usd: 1 } })
  const { standing } = await verifyToken(token.compact_jwt, { url: client.url })
  return `${standing?.as_of} ${found}`
}

export async function useRecords(): Promise<string | undefined> {
  const { actions_by_type } = await client.getProvenance({ ref: 'prov_x' })
  // @ts-expect-error: unknown limit on an argument
  const buy: ArgumentLimit = { mx: 3 }
  await client.delegate({ vat_jti: 'x', agent_id: 'x', constraints: { arguments: { buy: { '/n': buy } } } })
  return actions_by_type.read?.toFixed()
}

/** Whether an action is allowed decides what its answer has. */
export async function useDecisions(dry_run: boolean): Promise<readonly string[]> {
  const asked = { vat_jti: 'x', action: 'read', resource: 'a:b' }
  const { authorized, aar_id, reasons } = await client.authorize(asked)
  const id: string = authorized ? aar_id : reasons.join()
  const decision = await client.authorize(asked)
  if (decision.authorized) await client.completeRecord({ id: decision.aar_id, result: 'success' })
  else if (decision.approval_id !== undefined) await client.getApproval({ id: decision.approval_id })
  // @ts-expect-error: a dry run has no record
  await client.completeRecord({ id: (await client.authorize({ ...asked, dry_run: true })).aar_id })
  const perhaps = await client.authorize({ ...asked, dry_run })
  // @ts-expect-error: this can be a dry run, which has no record
  const open: string = perhaps.authorized ? perhaps.aar_id : ''
  const { items } = await client.authorizeBatch({ items: [asked] })
  return items.flatMap(({ answer }) =>
    answer?.authorized && !answer.dry_run ? [answer.aar_id, answer.expires_at] : [id, open],
  )
}

function stateOf({ aar_id, state }: ActionRecord): 'pending' | 'completed' | 'cancelled' | 'expired' {
  return aar_id === '' ? 'pending' : state
}

export const isAsked = (error: unknown) =>
  // @ts-expect-error: unknown reason
  error instanceof AuthorityDenied && error.reasons.includes('approval_requried')

export const isKnown = (error: unknown) =>
  error instanceof AuthorityDenied || isDeputyError(error, 'scope_widening')

export const authority = deputyGuard({ url: client.url })('read', 'a:b')

/** The parts of framework tools that matter here. */
const find = { type: 'function', name: 'find', execute: async (input: { name: string }) => input.name.length }

export async function useTools(): Promise<number> {
  const me = client.withAuthority('vat')
  const { find: same } = forAi({ find }, me, { tools: { find: { resource: ({ name }) => `a:${name}` } } })
  // @ts-expect-error: unknown tool
  forAi({ find }, me, { tools: { fnid: {} } })
  // @ts-expect-error: on_denied has no such value
  forLangChain([find], me, { on_denied: 'shrug' })
  forOpenAi([find], me, { on_denied: (denied: ToolDenied) => console.log(denied.denial.reasons) })
  return same.execute({ name: 'x' })
}
