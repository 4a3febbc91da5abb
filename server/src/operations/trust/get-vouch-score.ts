import { AuthorityError, invalidField } from '@deputize/protocol'
import type { VouchScore } from '@deputize/protocol/trust'
import type { Caller } from '../../access/caller.ts'
import type { Handler } from '../operation-context.ts'
import { asOfView, cutViews, pathViews, type VouchSight } from '../views/score-view.ts'
import { shownMillionths, shownSubject } from '../views/vouch-view.ts'
import { knownPerson, knownSubject } from './subjects.ts'
import { assertOwnView, vouchSight } from './vouch-sight.ts'

export const getVouchScore: Handler<'getVouchScore'> = async ({ caller, params, query }, context) => {
  if (query.explain !== undefined || query.as !== undefined) assertMaySeeVouchers(caller)
  if (query.as !== undefined) assertOwnView(query.as, caller, 'as')
  const subject = await knownSubject(params.subject, caller, context)
  const as = query.as === undefined ? undefined : await knownPerson(query.as, caller, context)
  if (query.at !== undefined) await assertReached(query.at, context.reader.log)
  const { answer, as_of } = await context.trustScores.score({
    subject,
    context: query.context,
    as,
    at: query.at,
  })
  return {
    subject: shownSubject(subject),
    score: shownMillionths(answer.score),
    flow: shownMillionths(answer.flow),
    anchors: answer.anchors,
    vouches: answer.vouches,
    truncated: answer.truncated,
    ...(query.context !== undefined && { context: query.context }),
    ...(as !== undefined && { as }),
    as_of: asOfView(as_of),
    ...(query.explain !== undefined && explanation(answer, await vouchSight(subject, caller, context))),
  }
}

function explanation({ paths, cut, subject }: VouchScore, sight: VouchSight) {
  const shown = pathViews(paths, subject, sight)
  return {
    ...(!sight.isWhole && { withheld: true }),
    paths: shown,
    cut: cutViews(cut, shown, sight),
  }
}

async function assertReached(at: number, log: { head(): Promise<{ readonly size: number }> }): Promise<void> {
  const { size } = await log.head()
  if (at > size) throw invalidField('?at', `must be at most the size of the log, which is ${size}`)
}

/** Refuses agents and resource servers, which may see how far a subject is trusted but not who vouches for whom. */
function assertMaySeeVouchers({ role }: Caller): void {
  if (role === 'agent' || role === 'resource_server')
    throw new AuthorityError(
      'role_not_allowed',
      'Agents and resource servers get only the score. Leave out `explain` and `as`.',
    )
}
