import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { anIssueRequest } from '@deputize/testing/an-issue-request.ts'
import type { HttpClient } from '@deputize/testing/http-client.ts'
import { okBody } from '@deputize/testing/ok-body.ts'

/** The folder with data of earlier versions. Its README.md explains how the data was made. */
export const UPGRADES = fileURLToPath(new URL('./', import.meta.url))

export const OLD_PASSPHRASE = { DEPUTY_BACKUP_PASSPHRASE: 'a passphrase of an older version' }

/**
 * Fails unless a service on such data keeps the state of its tokens, refuses them once they have expired, and accepts
 * actions and new tokens. `now_ms` is the time of the service: these tokens were valid for a day.
 */
export async function assertGoesOn({ get, post }: HttpClient, now_ms = Date.now()): Promise<void> {
  const { data } = await okBody(get('/v1/vat/tokens?limit=10'))
  const tokenOf = (agent: string) =>
    data.find(({ agent_id }: { agent_id: string }) => agent_id.endsWith(agent))
  const [live, revoked] = ['upgrade-bot-1', 'upgrade-bot-2'].map(tokenOf)
  const record = (vat_jti: string) =>
    post('/v1/vat/record/action', {
      vat_jti,
      action: 'read',
      resource: 'calendar:events',
      result: 'success',
      spend_usd: 0.5,
    })
  const isExpired = Date.parse(live.expires_at) <= now_ms
  const expired = isExpired ? ['token_expired'] : []
  const refused = await record(revoked.jti)
  assert.deepEqual([refused.status, refused.body.reasons], [403, ['token_revoked', ...expired]])
  const used = await record(live.jti)
  assert.deepEqual([used.status, used.body.reasons], isExpired ? [403, expired] : [200, undefined])
  const budget = await okBody(get(`/v1/vat/tokens/${live.jti}/budget`))
  assert.deepEqual([budget.spent_usd, budget.allocated_usd], [isExpired ? 3.5 : 4, 10])
  const issued = await okBody(
    post('/v1/vat/issue/l1', anIssueRequest({ agent_id: 'upgrade-bot-1', resources: ['calendar:events'] })),
  )
  await okBody(record(issued.jti))
}
