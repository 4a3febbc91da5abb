/** `deputy verify --trust`: scores that follow from the log, beside those that the service answers. */
import { isDeepStrictEqual } from 'node:util'
import { scoreOf, type TrustLedger, type VouchScore } from '@deputize/protocol/trust'
import { LogFault, type ReadFile } from '@deputize/protocol/verifier'
import { grouped } from './progress-bar.ts'
import { Unchecked } from './unchecked.ts'

/** The log is read with a credential of this tenant, and the service answers scores of one's own tenant. */
const TENANT = 'default'
const MOST_SUBJECTS = 200
const MILLION = 1_000_000

export interface ComparedScores {
  /** The size of the log that the scores follow from. */
  readonly log_size: number
  /** How many people and agents have a standing vouch. */
  readonly subjects: number
  /** Those that were compared. The service gave the same answer for each, with the same paths and the same cut. */
  readonly scores: readonly Pick<VouchScore, 'subject' | 'score' | 'flow'>[]
  /** Subjects that the service says it does not know. */
  readonly unknown: readonly string[]
}

/** Throws a LogFault for the first score that differs from the one that follows from the log. */
export async function compareScores(
  read: ReadFile,
  ledger: TrustLedger,
  only: string | undefined,
): Promise<ComparedScores> {
  const all = ledger.vouchedSubjects(TENANT)
  const scores: VouchScore[] = []
  const unknown: string[] = []
  for (const subject of only === undefined ? all.slice(0, MOST_SUBJECTS) : [only]) {
    const answer = await readScore(read, subject, ledger.size)
    const score = scoreOf(ledger.graph, subject)
    if (answer === undefined) unknown.push(subject)
    else assertSame(score, answer, ledger.size)
    if (answer !== undefined) scores.push(score)
  }
  if (only !== undefined && unknown.length > 0) throw new Unchecked(`The service does not know ${only}.`)
  return {
    log_size: ledger.size,
    subjects: all.length,
    scores: scores.map(({ subject, score, flow }) => ({
      subject,
      score: score / MILLION,
      flow: flow / MILLION,
    })),
    unknown,
  }
}

async function readScore(read: ReadFile, subject: string, log_size: number): Promise<unknown> {
  const bytes = await read(`v1/vat/trust/scores/${encodeURIComponent(subject)}?at=${log_size}&explain=1`)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new Unchecked(`The service answered no JSON for the score of ${subject}.`)
  }
}

function assertSame(score: VouchScore, answer: unknown, log_size: number): void {
  const expected = { ...shownScore(score), log_size }
  // An answer that is no object has no members, so everything differs.
  const given: Readonly<Record<string, unknown>> = {
    ...Object(answer),
    log_size: Object(Object(answer).as_of).log_size,
  }
  const differing = Object.entries(expected).find(([name, value]) => !isDeepStrictEqual(given[name], value))
  if (differing === undefined) return
  const [name, value] = differing
  throw new LogFault(
    'score_differs',
    `${score.subject}: ${name} is ${short(value)} by the log and ${short(given[name])} by the service.`,
  )
}

/** A score in the words of the service: numbers with six decimals. */
function shownScore({ subject, score, flow, anchors, vouches, truncated, paths, cut }: VouchScore) {
  return {
    subject,
    score: score / MILLION,
    flow: flow / MILLION,
    anchors,
    vouches,
    truncated,
    paths: paths.map((path) => ({
      flow: path.flow / MILLION,
      steps: path.steps.map((step) => ({ ...step, capacity: step.capacity / MILLION })),
    })),
    cut: cut.map((part) => ({ ...part, capacity: part.capacity / MILLION })),
  }
}

function short(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

export function scoreLines({ subjects, scores, unknown }: ComparedScores): string[] {
  const [first] = scores
  const counted = `  scores     ${grouped(scores.length)} computed from the log, equal to those of the service`
  if (scores.length === 1 && first !== undefined)
    return [
      `  score      ${first.subject}: ${first.score} (flow ${first.flow}), equal to that of the service`,
    ]
  return [
    scores.length + unknown.length < subjects
      ? `${counted}, of ${grouped(subjects)} subjects; compare others with --subject`
      : counted,
    ...unknown.map(
      (subject) => `  unknown    ${subject} has vouches in the log, but the service does not know it`,
    ),
  ]
}
