import type { Evidence, Rating, RecordState } from '@deputize/protocol'
import type { ApprovalState, Habit, HabitKey } from '../../domain/approval.ts'
import { type AgentTally, emptyTally } from '../../domain/reputation.ts'
import { dayOf } from '../../domain/time.ts'
import { type Chain, type Link, type Marks, noMarks } from '../../domain/token.ts'
import type { DigestKind, RegistryKind } from '../../store/port.ts'

/** Words that the log knows only by their digest, and the leaf that told of them. */
export interface Words {
  /** Undefined for those that are sealed under the key of the deployment. */
  readonly human_ref: string | undefined
  readonly kind: DigestKind
  readonly digest: string
  readonly log_index: number
}

/** A token with all that leaves told of it. Its links are those of the rules, so that the rules themselves can be asked. */
export interface ToldToken extends Link {
  /** How leaves name it. */
  readonly ref: string
  /** Tokens are numbered in the order of the log. */
  readonly token_key: number
  readonly above: ToldToken | undefined
  readonly chain: Chain
  readonly purpose: Words | undefined
  reason: Words | undefined
  /** Whether anything happened to it, so that a state is kept. */
  has_state: boolean
}

export interface ToldAgent {
  readonly marks: Marks
  readonly tally: AgentTally
  /** The sums of each day, counted from 1970. */
  readonly days: Map<number, AgentTally>
  readonly first_seen_ms: number
  last_action_ms: number | undefined
  profile_digest: string | undefined
}

export interface ToldHuman {
  readonly marks: Marks
  /** Where the log tells of erasures. */
  readonly erased_at: number[]
  erased_at_ms: number | undefined
  /** In how many of the times between erasures a digest needed a data key, the present one apart. */
  keys_gone: number
  needs_key: boolean
}

/** What is counted in a workflow, by agent, action and result. */
export interface ToldWorkflow {
  records: number
  last_action_ms: number | undefined
  readonly agents: Map<string, number>
  readonly actions: Map<string, number>
  readonly results: Map<string, number>
}

export interface ToldRecord {
  readonly log_index: number
  readonly aar_id: string
  readonly token: ToldToken
  readonly action: string
  readonly resource: string
  readonly parent_aar_id: string | undefined
  readonly trace_id: string | undefined
  readonly created_at_ms: number
  readonly expires_at_ms: number | undefined
  state: RecordState
  result: string | undefined
  result_hash: string | undefined
  spend_micro_usd: number
  completed_at_ms: number | undefined
  completed_index: number | undefined
  completed_after_revocation: boolean
  over_budget: boolean
  completion_digest: string | undefined
  evidence: Evidence
  metadata: Words | undefined
}

export interface ToldDenial {
  readonly log_index: number
  readonly created_at_ms: number
  readonly denial_id: string
  readonly token: ToldToken
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly reasons: unknown
  readonly trace_id: string | undefined
}

export interface ToldRating {
  readonly log_index: number
  readonly aar_id: string
  readonly agent_id: string
  readonly provenance_ref: string
  readonly rating: Rating
  readonly rater_assurance: string
  readonly feedback_at_ms: number
  readonly note_digest: string | undefined
}

export interface ToldApproval {
  readonly log_index: number
  readonly approval_id: string
  readonly token: ToldToken
  readonly action: string
  readonly resource: string
  readonly spend_micro_usd: number
  readonly binding: string
  readonly created_at_ms: number
  readonly expires_at_ms: number
  readonly metadata: Words | undefined
  /** The open question about the same that this one took the place of. */
  readonly replaces: ToldApproval | undefined
  state: ApprovalState
  decided_at_ms: number | undefined
  decided_by: string | undefined
  decided_index: number | undefined
  note: Words | undefined
  used_by: string | undefined
}

/** An entry of the registry as its newest leaf told of it. */
export interface ToldEntry {
  readonly kind: RegistryKind
  readonly log_index: number
  readonly tenant_id: string
  readonly owner: string | undefined
  /** Undefined once it was removed. */
  readonly document: Words | undefined
}

export interface Threshold {
  readonly ref: string
  readonly percent: number
}

/** Everything that the log has told up to some leaf. */
export interface Story {
  /** By the names that leaves give them, in the order of the log. */
  readonly tokens: Map<string, ToldToken>
  readonly agents: Map<string, ToldAgent>
  readonly humans: Map<string, ToldHuman>
  readonly workflows: Map<string, ToldWorkflow>
  /** Records that are still to be closed. */
  readonly open_records: Map<string, ToldRecord>
  /** Approvals that may still change. */
  readonly approvals: Map<string, ToldApproval>
  /** The undecided one of them for each binding. */
  readonly questions: Map<string, ToldApproval>
  readonly habits: Map<string, { readonly key: HabitKey; readonly habit: Habit }>
  /** By kind and by what stands for the id. */
  readonly registry: Map<string, ToldEntry>
  /** The question of the leaf before, as long as a habit may answer it. */
  asked: ToldApproval | undefined
  /** Budgets that reached a threshold, of which the next leaves must tell. */
  readonly crossed: Threshold[]
  /** Thresholds told of before the completion that reached them. */
  readonly announced: Threshold[]
}

export function newStory(): Story {
  return {
    tokens: new Map(),
    agents: new Map(),
    humans: new Map(),
    workflows: new Map(),
    open_records: new Map(),
    approvals: new Map(),
    questions: new Map(),
    habits: new Map(),
    registry: new Map(),
    asked: undefined,
    crossed: [],
    announced: [],
  }
}

/** What one leaf added to the story, for whoever compares it with the tables. */
export interface Telling {
  /** Rules that what the leaf tells of broke, each as the end of a sentence that begins with the leaf. */
  readonly wrong: string[]
  token?: ToldToken
  record?: ToldRecord
  /** A record that will never change again. */
  closed?: ToldRecord
  denial?: ToldDenial
  rating?: ToldRating
  approval?: ToldApproval
  /** Approvals that will never change again. */
  readonly settled: ToldApproval[]
}

/** Where a leaf stands. */
export interface Place {
  readonly log_index: number
  readonly at_ms: number
}

export function agentOf(story: Story, agent_id: string, at_ms: number): ToldAgent {
  const known = story.agents.get(agent_id)
  if (known !== undefined) return known
  const agent: ToldAgent = {
    marks: noMarks(),
    tally: emptyTally(),
    days: new Map(),
    first_seen_ms: at_ms,
    last_action_ms: undefined,
    profile_digest: undefined,
  }
  story.agents.set(agent_id, agent)
  return agent
}

export function humanOf(story: Story, human_ref: string): ToldHuman {
  const known = story.humans.get(human_ref)
  if (known !== undefined) return known
  const human: ToldHuman = {
    marks: noMarks(),
    erased_at: [],
    erased_at_ms: undefined,
    keys_gone: 0,
    needs_key: false,
  }
  story.humans.set(human_ref, human)
  return human
}

export function workflowOf(story: Story, provenance_ref: string): ToldWorkflow {
  const known = story.workflows.get(provenance_ref)
  if (known !== undefined) return known
  const workflow: ToldWorkflow = {
    records: 0,
    last_action_ms: undefined,
    agents: new Map(),
    actions: new Map(),
    results: new Map(),
  }
  story.workflows.set(provenance_ref, workflow)
  return workflow
}

/** The sums that one change adds to: those of the agent, and those of the day. */
export function talliesOf(agent: ToldAgent, at_ms: number): readonly [AgentTally, AgentTally] {
  const day = dayOf(at_ms)
  const known = agent.days.get(day) ?? emptyTally()
  agent.days.set(day, known)
  return [agent.tally, known]
}

export function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

/** A digest of a person takes a data key of theirs, so one must have been made since the last erasure. */
export function wordsOf(
  story: Story,
  human_ref: string | undefined,
  kind: DigestKind,
  digest: string | undefined,
  log_index: number,
): Words | undefined {
  if (digest === undefined) return undefined
  if (human_ref !== undefined) humanOf(story, human_ref).needs_key = true
  return { human_ref, kind, digest, log_index }
}

/** Every token of a chain is charged and counted, so every one has a state from then on. */
export function touch(token: ToldToken): void {
  for (let link: ToldToken | undefined = token; link !== undefined; link = link.above) link.has_state = true
}
