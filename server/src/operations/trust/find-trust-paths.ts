import type { Handler } from '../operation-context.ts'
import { asOfView, pathViews } from '../views/score-view.ts'
import { shownMillionths, shownSubject } from '../views/vouch-view.ts'
import { knownPerson, knownSubject } from './subjects.ts'
import { assertOwnView, vouchSight } from './vouch-sight.ts'

export const findTrustPaths: Handler<'findTrustPaths'> = async ({ caller, query }, context) => {
  assertOwnView(query.from, caller, 'from')
  const from = await knownPerson(query.from, caller, context)
  const subject = await knownSubject(query.to, caller, context)
  const { answer, as_of } = await context.trustScores.score({
    subject,
    context: query.context,
    as: from,
    at: undefined,
  })
  const sight = await vouchSight(subject, caller, context)
  return {
    from,
    to: shownSubject(subject),
    flow: shownMillionths(answer.flow),
    truncated: answer.truncated,
    as_of: asOfView(as_of),
    ...(!sight.isWhole && { withheld: true }),
    paths: pathViews(answer.paths, subject, sight),
  }
}
