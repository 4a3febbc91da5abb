import type { Level } from '@deputize/protocol'
import type { StoredApproval } from '../../domain/approvals/approval.ts'
import type { StoredDenial } from '../../domain/denial.ts'
import type { StoredRecord } from '../../domain/record.ts'
import type { Chain } from '../../domain/tokens/token.ts'
import type { RecordFilter, WorkflowFilter } from './filters.ts'
import type { StoredLeaf } from './log-reader.ts'
import type { Page, PageRequest, Total, UpwardPage, UpwardRequest } from './pages.ts'

/** A summary of a workflow. Person, agent and level are those of its root token. */
export interface WorkflowFacts {
  /** Its place in lists, which are sorted from highest to lowest. */
  readonly position: number
  readonly provenance_ref: string
  readonly root_jti: string
  readonly human_ref: string
  readonly agent_id: string
  readonly assurance_level: Level
  readonly created_at_ms: number
  /** The leaf of the root token. Every entry of the workflow is at or above it. */
  readonly log_index: number
  readonly total_records: number
  readonly unique_agents: number
  readonly last_action_ms: number | undefined
}

/** Where a page of a graph begins: first the records, then the tokens without records. */
export type GraphPosition = { readonly records_from: number } | { readonly tokens_from: number }

/** What a graph shows in addition to actions. */
export type GraphExtra = 'denials' | 'approvals'

export interface GraphPage {
  readonly records: StoredRecord[]
  readonly denials: StoredDenial[]
  readonly approvals: StoredApproval[]
  /** The chains of the tokens of these entries, and of tokens without records, each once. */
  readonly chains: Chain[]
  readonly next: GraphPosition | undefined
}

export interface Lineage {
  readonly record: StoredRecord
  /** From the direct cause to the first. */
  readonly causes: StoredRecord[]
  readonly has_more_causes: boolean
  /** Direct effects, oldest first. */
  readonly effects: StoredRecord[]
  readonly has_more_effects: boolean
}

/**
 * Reads whole workflows. An unknown workflow has no facts, and its lists are empty.
 *
 * Promises in addition to those of `ReadStore`: lists without a limit are read in pieces, hold a bounded amount of
 * memory, and let other reads run in between. `end` is a log index; entries from there on are left out.
 */
export interface WorkflowReader {
  facts(provenance_ref: string): Promise<WorkflowFacts | undefined>
  /** Newest first. */
  list(filter: WorkflowFilter, page: PageRequest): Promise<Page<WorkflowFacts>>
  count(filter: WorkflowFilter): Promise<Total>
  /** Records of any filter in log order, as they are now. */
  records(filter: RecordFilter, page: UpwardRequest): Promise<UpwardPage<StoredRecord>>
  /** A consistent snapshot of at most `limit` entries of each kind and at most `limit` tokens without records. */
  graph(
    provenance_ref: string,
    limit: number,
    position: GraphPosition,
    extras?: readonly GraphExtra[],
  ): Promise<GraphPage>
  /**
   * How many of each workflow's newest `MOST_LISTED_TOKENS` tokens have not expired and were not revoked themselves.
   */
  liveTokens(provenance_refs: readonly string[], now_ms: number): Promise<ReadonlyMap<string, number>>
  /** `most` limits the causes and effects. */
  lineage(aar_id: string, most: { causes: number; effects: number }): Promise<Lineage | undefined>
  /** Each agent that holds a token of the workflow, once. */
  agents(provenance_ref: string, end: number): AsyncIterable<string>
  /** Each resource that was acted on, once. */
  resources(provenance_ref: string, end: number): AsyncIterable<string>
  /** The token that a leaf without its own row is about, by the leaf's index. */
  tokenAt(provenance_ref: string, log_index: number): Promise<string | undefined>
  /** Every leaf that belongs to the workflow, ascending. */
  leaves(provenance_ref: string, end: number): AsyncIterable<StoredLeaf>
}
