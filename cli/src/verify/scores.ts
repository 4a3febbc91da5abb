/** `deputy verify --trust`: compares the scores that follow from the log with those of the service. */
import { isDeepStrictEqual } from 'node:util'
import { DEFAULT_TENANT, plainAgent, tenantOf } from '@deputize/protocol'
import { scoreOf, type TenantSubject, type TrustLedger, type VouchScore } from '@deputize/protocol/trust'
import { LogFault } from '@deputize/protocol/verifier'
import type { HttpLogReader } from './log-reader.ts'
import { grouped } from './progress-bar.ts'
import { Unchecked } from './unchecked.ts'

const MILLION = 1_000_000
const AGENT = 'agent:'

export interface ComparedScores {
  /** The size of the log that the scores follow from. */
  readonly log_size: number
  /** Number of people and agents with a standing vouch. */
  readonly subjects: number
  /** The compared scores. The service gave the same answer for each, with the same paths and the same cut. */
  readonly scores: readonly ComparedScore[]
  /** Subjects that the service reports as unknown. */
  readonly unknown: readonly string[]
  /** Tenants whose scores no given key can read, and how many of their subjects have a standing vouch. */
  readonly without_key: Readonly<Record<string, number>>
}

/** The subject has its name from the log. */
interface ComparedScore extends TenantSubject, Pick<VouchScore, 'score' | 'flow'> {}

type TenantReaders = ReadonlyMap<string, Pick<HttpLogReader, 'read'>>

/** Throws a LogFault for the first score that differs from the one that follows from the log. */
export async function compareScores(
  readers: TenantReaders,
  ledger: TrustLedger,
  only: string | undefined,
): Promise<ComparedScores> {
  const all = ledger.vouchedSubjects()
  const scores: ComparedScore[] = []
  const unknown: string[] = []
  const without_key = new Map<string, number>()
  for (const asked of only === undefined ? all : [subjectIn(ledger, only)]) {
    const reader = readers.get(asked.tenant_id)
    if (reader === undefined) {
      without_key.set(asked.tenant_id, (without_key.get(asked.tenant_id) ?? 0) + 1)
      continue
    }
    const compared = await compareScore(reader, ledger, asked)
    if (compared === undefined) unknown.push(asked.subject)
    else scores.push(compared)
  }
  if (only !== undefined) assertCompared(only, unknown, without_key)
  return {
    log_size: ledger.size,
    subjects: all.length,
    scores,
    unknown,
    without_key: Object.fromEntries(without_key),
  }
}

function subjectIn(ledger: TrustLedger, subject: string): TenantSubject {
  if (subject.startsWith(AGENT)) return { tenant_id: tenantOf(subject.slice(AGENT.length)), subject }
  return { tenant_id: ledger.tenantOf(subject) ?? DEFAULT_TENANT, subject }
}

function assertCompared(
  subject: string,
  unknown: readonly string[],
  without_key: ReadonlyMap<string, number>,
): void {
  if (unknown.length > 0) throw new Unchecked(`The service does not know ${subject}.`)
  const [tenant_id] = without_key.keys()
  if (tenant_id === undefined) return
  throw new Unchecked(
    `${subject} belongs to the tenant ${tenant_id}. Pass one of its keys with --tenant-key ${tenant_id}=<file>.`,
  )
}

/** Undefined if the service does not know the subject. */
async function compareScore(
  reader: Pick<HttpLogReader, 'read'>,
  { graph, size }: TrustLedger,
  { tenant_id, subject }: TenantSubject,
): Promise<ComparedScore | undefined> {
  const answer = await readScore(reader, subject, size)
  if (answer === undefined) return undefined
  const score = scoreOf(graph, subject)
  assertSame(score, answer, size)
  return { tenant_id, subject, score: score.score / MILLION, flow: score.flow / MILLION }
}

async function readScore(
  { read }: Pick<HttpLogReader, 'read'>,
  subject: string,
  log_size: number,
): Promise<unknown> {
  const name = encodeURIComponent(nameInTenant(subject))
  const bytes = await read(`v1/vat/trust/scores/${name}?at=${log_size}&explain=1`)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    throw new Unchecked(`The service did not return JSON for the score of ${subject}.`)
  }
}

/** The log names agents with their tenant, and the service names them as their tenant does. */
function nameInTenant(subject: string): string {
  return subject.startsWith(AGENT) ? `${AGENT}${plainAgent(subject.slice(AGENT.length))}` : subject
}

function assertSame(score: VouchScore, answer: unknown, log_size: number): void {
  const expected = { ...shownScore(score), log_size }
  // An answer that isn't an object has no members, so everything differs.
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

/** A score as the service returns it, with numbers to six decimals. */
function shownScore({ subject, score, flow, anchors, vouches, truncated, paths, cut }: VouchScore) {
  return {
    subject: nameInTenant(subject),
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

export function scoreLines({ scores, unknown, without_key }: ComparedScores): string[] {
  const [first] = scores
  const tenants = new Set(scores.map(({ tenant_id }) => tenant_id)).size
  const where = tenants > 1 ? ` of ${tenants} tenants` : ''
  return [
    scores.length === 1 && first !== undefined
      ? `  score      ${first.subject}: ${first.score} (flow ${first.flow}), equal to that of the service`
      : `  scores     ${grouped(scores.length)}${where} computed from the log, equal to those of the service`,
    ...unknown.map(
      (subject) => `  unknown    ${subject} has vouches in the log, but the service does not know it`,
    ),
    ...Object.entries(without_key).map(
      ([tenant_id, subjects]) =>
        `  skipped    ${grouped(subjects)} of the tenant ${tenant_id}; compare them with --tenant-key ${tenant_id}=<file>`,
    ),
  ]
}
