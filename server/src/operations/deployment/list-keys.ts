import { isoInstant } from '../../domain/times/time.ts'
import { pageRequest } from '../lists/pages.ts'
import type { Handler } from '../operation-context.ts'
import { keyView } from '../views/key-view.ts'
import { pageAnswer } from '../views/page-answer.ts'

export const listKeys: Handler<'listKeys'> = async ({ query, caller }, { reader, accessControl }) => {
  const { tenant_id = caller.tenant_id } = query
  const page = await reader.registry.list('api_key', { tenant_id }, pageRequest(query))
  const uses = await Promise.all(
    page.entries.map(async ({ id }) => [id, await accessControl.keyUses.lastUse(id)] as const),
  )
  const lastUse = new Map(uses)
  return pageAnswer(page, (entry) => {
    const used_at_ms = lastUse.get(entry.id)
    return { ...keyView(entry), ...(used_at_ms !== undefined && { last_used_at: isoInstant(used_at_ms) }) }
  })
}
