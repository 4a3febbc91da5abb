import { AuthorityError } from '@deputize/protocol'
import { recordView } from '../../domain/record.ts'
import { viewsOf } from '../../domain/tokens/token.ts'
import { loadChain } from '../loading/load-chain.ts'
import type { Handler } from '../operation-context.ts'
import { tokenViews } from '../views/token-view.ts'

const LINEAGE_LIMITS = { causes: 1_000, effects: 200 }

export const getLineage: Handler<'getLineage'> = async ({ params }, context) => {
  const lineage = await context.reader.workflows.lineage(params.id, LINEAGE_LIMITS)
  if (lineage === undefined) throw new AuthorityError('record_unknown')
  const { record, causes, has_more_causes, effects, has_more_effects } = lineage
  const chain = await loadChain(record.vat_jti, context)
  return {
    aar_id: record.aar_id,
    record: recordView(record),
    causes: causes.map(recordView),
    has_more_causes,
    effects: effects.map(recordView),
    has_more_effects,
    chain: await tokenViews(viewsOf(chain), context),
  }
}
