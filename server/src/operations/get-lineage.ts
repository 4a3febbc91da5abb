import { AuthorityError } from '@deputize/protocol'
import { recordView } from '../domain/record.ts'
import { viewsOf } from '../domain/token.ts'
import { chainOf } from './delegate.ts'
import { tokenView, wordsOf } from './get-token.ts'
import type { Handler } from './operation-context.ts'

const MOST = { causes: 1_000, effects: 200 }

export const getLineage: Handler<'getLineage'> = async ({ params }, context) => {
  const lineage = await context.reader.workflows.lineage(params.id, MOST)
  if (lineage === undefined) throw new AuthorityError('record_unknown')
  const { record, causes, has_more_causes, effects, has_more_effects } = lineage
  const views = viewsOf(await chainOf(record.vat_jti, context))
  const words = await wordsOf(views, context)
  return {
    aar_id: record.aar_id,
    record: recordView(record),
    causes: causes.map(recordView),
    has_more_causes,
    effects: effects.map(recordView),
    has_more_effects,
    chain: views.map((view) => tokenView(view, words(view), context.clock())),
  }
}
