import type { Handler } from '../operation-context.ts'
import { asOfView } from '../views/score-view.ts'
import { shownMillionths, shownSubject } from '../views/vouch-view.ts'
import { knownSubject } from './subjects.ts'
import { neighbourSight } from './vouch-sight.ts'

const DEFAULT_DEPTH = 2

export const getTrustGraph: Handler<'getTrustGraph'> = async ({ caller, query }, context) => {
  const subject = await knownSubject(query.around, caller, context)
  const { answer, as_of } = await context.trustScores.around(subject, query.depth ?? DEFAULT_DEPTH)
  const sight = await neighbourSight(subject, caller, context)
  const edges = answer.edges.filter(({ from, to }) => sight.maySee(from, to))
  const ends = new Set([subject, ...edges.flatMap(({ from, to }) => [from, to])])
  return {
    around: shownSubject(subject),
    as_of: asOfView(as_of),
    ...(!sight.isWhole && { withheld: true }),
    nodes: answer.nodes
      .filter(({ subject: one }) => sight.isWhole || ends.has(one))
      .map(({ subject: one, base, steps }) => ({
        subject: shownSubject(one),
        ...(base !== undefined && sight.maySee(one) && { base: shownMillionths(base) }),
        steps,
      })),
    edges: edges.map(({ to, weight, ...edge }) => ({
      ...edge,
      to: shownSubject(to),
      weight: shownMillionths(weight),
    })),
    truncated: answer.truncated,
  }
}
