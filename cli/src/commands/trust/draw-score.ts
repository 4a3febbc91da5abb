import type { ResponseOf } from '../../client/call-command.ts'
import { facts } from '../../terminal/facts.ts'
import type { Screen } from '../../terminal/screen.ts'
import { type Branch, tree } from '../../terminal/tree.ts'

type ExplainedScore = ResponseOf<'getVouchScore'>
type ScorePath = NonNullable<ExplainedScore['paths']>[number]
type ScoreCutPart = NonNullable<ExplainedScore['cut']>[number]

const MOST_PATHS = 20

/** A score, the paths that carry its flow, each from the anchor down to the subject, and what limits it. */
export function drawScore(answer: ExplainedScore, screen: Screen): string {
  const { paths = [], cut = [], as_of, truncated } = answer
  const summary = facts([
    ['subject', answer.subject],
    ['score', answer.score.toFixed(6)],
    [
      'flow',
      `${answer.flow.toFixed(6)}${truncated ? ' or more: there are more vouches than one response considers' : ''}`,
    ],
    ['seen by', answer.as],
    ['context', answer.context],
    ['vouches', String(answer.vouches)],
    ['anchors', String(answer.anchors)],
    ['log entries', String(as_of.log_size)],
  ])
  if (paths.length === 0) return `${summary}\nNo vouch of a verified person reaches it.\n`
  const drawn = paths
    .slice(0, MOST_PATHS)
    .map((path) => `  ${path.flow.toFixed(6)}\n${tree(pathBranch(path, answer.subject), screen)}`)
  const more = paths.length > MOST_PATHS ? `${paths.length - MOST_PATHS} more paths: use --json\n` : ''
  return `${summary}\nPaths\n${drawn.join('')}${more}\nLimited by\n${cut.map(cutLine).join('')}`
}

/** The anchor on the left, each next person of the path below, and the subject last. */
function pathBranch({ steps }: ScorePath, subject: string): Branch {
  return steps.reduceRight<Branch>(
    (below, { vouch_id, from, capacity }) => ({
      lines: [from ?? 'someone', `vouch ${vouch_id ?? 'by other people'}, carries up to ${capacity}, for`],
      below: [below],
    }),
    { lines: [subject], below: [] },
  )
}

const LIMITS = {
  vouch: 'vouch',
  base: 'own word of',
  person: 'what can be passed on by',
} as const

function cutLine({ limit, vouch_id, human_ref, capacity }: ScoreCutPart): string {
  return `  ${capacity.toFixed(6)}  ${LIMITS[limit]} ${vouch_id ?? human_ref ?? 'others'}\n`
}
