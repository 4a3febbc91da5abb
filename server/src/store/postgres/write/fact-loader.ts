import { text } from '../../values.ts'
import { FACT_KINDS } from './fact-kinds.ts'
import {
  FACT_KIND_NAMES,
  type FactAnswer,
  type FactAnswers,
  type FactKey,
  type FactKind,
  type FactRequests,
  type RequestsByKind,
} from './fact-requests.ts'
import type { FactLoader, FactSource } from './fact-source.ts'

/** What one attempt to judge a batch loads, and where it stores the answers. */
export interface FactLoading extends FactSource {
  readonly requests: FactRequests
  readonly answers: FactAnswers
}

/** Loads every requested fact, and returns the ids of overdue records. */
export async function loadFacts(loading: FactLoading): Promise<string[]> {
  const { database, requests, memory } = loading
  const overdue = await loadOverdue(loading)
  const { tokens, live_counts } = requests
  await memory.loadTokens(database, [...tokens, ...live_counts.keys()])
  await memory.loadAgents(database, [...requests.agents])
  await memory.loadVouched(database, [...requests.vouched])
  await memory.loadPeople(database, [...requests.humans])
  for (const kind of FACT_KIND_NAMES) if (requests[kind].size > 0) await loadKind(loading, kind)
  return overdue
}

const LOADERS: { readonly [K in FactKind]: FactLoader<FactKey<K>, FactAnswer<K>> } = FACT_KINDS

async function loadKind<K extends FactKind>(loading: FactLoading, kind: K): Promise<void> {
  const asked: RequestsByKind = loading.requests
  await LOADERS[kind](loading, asked[kind], loading.answers[kind])
}

const OVERDUE =
  'SELECT aar_id FROM records WHERE state = 0 AND expires_at_ms <= $1 ORDER BY expires_at_ms LIMIT $2'

async function loadOverdue({ database, requests, now_ms }: FactLoading): Promise<string[]> {
  if (requests.overdue === 0) return []
  const { rows } = await database.query(OVERDUE, [now_ms, requests.overdue])
  const overdue = rows.map((row) => text(row.aar_id))
  for (const aar_id of overdue) requests.records.set(aar_id, aar_id)
  return overdue
}
