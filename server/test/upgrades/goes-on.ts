import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { okBody } from '@deputize/testing/ok-body.ts'

/** Where the data of earlier versions is. README.md there says how it was made. */
export const UPGRADES = fileURLToPath(new URL('./', import.meta.url))

export const OLD_PASSPHRASE = { DEPUTY_BACKUP_PASSPHRASE: 'a passphrase of an older version' }

/** Fails unless a service on such data keeps what it says about its tokens, and takes an action and a new token. */
export async function assertGoesOn({ get, post }: HttpClient): Promise<void> {
  const { data } = await okBody(get('/v1/vat/tokens?limit=10'))
  const tokenOf = (agent: string) =>
    data.find(({ agent_id }: { agent_id: string }) => agent_id.endsWith(agent))
  const [live, revoked] = ['upgrade-bot-1', 'upgrade-bot-2'].map(tokenOf)
  const action = { action: 'read', resource: 'calendar:events', result: 'success', spend_usd: 0.5 }
  const refused = await post('/v1/vat/record/action', { vat_jti: revoked.jti, ...action })
  assert.deepEqual([refused.status, refused.body.reasons], [403, ['token_revoked']])
  const budget = await okBody(get(`/v1/vat/tokens/${live.jti}/budget`))
  assert.deepEqual([budget.spent_usd, budget.allocated_usd], [3.5, 10])
  await okBody(post('/v1/vat/record/action', { vat_jti: live.jti, ...action }))
  await okBody(post('/v1/vat/issue/l1', anIssueRequest()))
}
