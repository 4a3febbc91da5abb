import type { Handler } from '../operation-context.ts'
import { asOfView } from '../views/score-view.ts'
import { shownMillionths, shownSubject } from '../views/vouch-view.ts'
import { knownSubject } from './subjects.ts'

const DEFAULT_DEPTH = 2

export const getTrustGraph: Handler<'getTrustGraph'> = async ({ caller, query }, context) => {
  const subject = await knownSubject(query.around, caller, context)
  const { answer, as_of } = await context.trustScores.around(subject, query.depth ?? DEFAULT_DEPTH)
  return {
    around: shownSubject(subject),
    as_of: asOfView(as_of),
    nodes: answer.nodes.map(({ subject: one, base, steps }) => ({
      subject: shownSubject(one),
      ...(base !== undefined && { base: shownMillionths(base) }),
      steps,
    })),
    edges: answer.edges.map(({ to, weight, ...edge }) => ({
      ...edge,
      to: shownSubject(to),
      weight: shownMillionths(weight),
    })),
    truncated: answer.truncated,
  }
}
