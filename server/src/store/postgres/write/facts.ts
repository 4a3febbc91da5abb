import { NO_DENIALS } from '../../../domain/approvals/approval.ts'
import { type HabitKind, habitName } from '../../../domain/approvals/habit.ts'
import { type Chain, type Link, type Marks, noMarks } from '../../../domain/tokens/token.ts'
import { registryKey } from '../../port/registry.ts'
import { type Facts, keyHolderName } from '../../port/write-store.ts'
import type { WrappedKey } from '../../rows/sealed-fields.ts'
import type { Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { loadFacts } from './fact-loader.ts'
import {
  type FactAnswer,
  type FactAnswers,
  type FactKey,
  type FactKind,
  type FactRequests,
  noAnswers,
} from './fact-requests.ts'
import type { Head } from './head.ts'
import type { BatchMemory } from './memory.ts'
import { type People, type Person, peopleOf } from './people.ts'

/**
 * The facts of one attempt to judge a batch. Judges ask for facts one by one and can't wait, so a fact that isn't
 * loaded is noted and not answered. The caller then loads all that were noted and judges the batch from the start.
 */
export interface BatchFacts {
  readonly facts: Facts
  readonly people: People
  /** The row of a person, created if there is none. Call it only once everything is loaded. */
  personFor(human_ref: string): Person
  /** People whose row changed or is new. */
  readonly touched: ReadonlySet<Person>
  /** Whether a fact was requested that isn't loaded. The outcome of the judges is then void. */
  isIncomplete(): boolean
  /** Loads everything requested so far. */
  load(database: Database): Promise<void>
  /** Whether a stored answer to a repeated request was loaded. */
  hasReplays(): boolean
  /** The log index of a record that the batch loaded. */
  recordIndex(aar_id: string): number | undefined
  /** Marks of agents that this batch names for the first time. */
  readonly new_agents: ReadonlyMap<string, Marks>
}

export function batchFacts(
  requests: FactRequests,
  now_ms: number,
  head: Head,
  memory: BatchMemory,
  vault: Vault,
): BatchFacts {
  const answers = noAnswers()
  const wrapped_keys = new Map<number, WrappedKey>()
  const lookups = lookupsIn(requests, answers)
  const persons = personsOf(head, memory, lookups)
  const people = peopleOf(vault, {
    personFor: persons.find,
    nextDataKey: () => ++head.last_data_key,
    made: requests.made_keys,
    touched: persons.touched,
  })
  const new_agents = new Map<string, Marks>()
  let overdue: readonly string[] = []

  const facts: Facts = {
    now_ms,
    frontier: head.frontier,
    get overdue() {
      return overdue
    },
    ...lookedUpFacts(lookups, requests),
    ...rememberedFacts(memory, lookups, people, persons, new_agents),
    digest: people.digest,
  }

  return {
    facts,
    people,
    personFor(human_ref) {
      const person = persons.find(human_ref)
      if (person === undefined) throw new Error(`the person ${human_ref} was not loaded`)
      return person
    },
    touched: persons.touched,
    new_agents,
    isIncomplete: lookups.isIncomplete,
    async load(database) {
      overdue = await loadFacts({ database, requests, answers, memory, vault, wrapped_keys, now_ms })
    },
    hasReplays: () => [...answers.replays.values()].some((replay) => replay !== undefined),
    recordIndex: (aar_id) => answers.records.get(aar_id)?.log_index,
  }
}

/** Finds answers, and notes what is missing. */
interface Lookups {
  find<K extends FactKind>(kind: K, name: string, key: FactKey<K>): FactAnswer<K> | undefined
  missing(kind: 'tokens' | 'agents' | 'humans' | 'vouched', id: string): undefined
  isIncomplete(): boolean
}

function lookupsIn(requests: FactRequests, answers: FactAnswers): Lookups {
  let isIncomplete = false
  return {
    find<K extends FactKind>(kind: K, name: string, key: FactKey<K>) {
      const found: Map<string, FactAnswer<K>> = answers[kind]
      if (found.has(name)) return found.get(name)
      const asked: Map<string, unknown> = requests[kind] // FactKey says which keys the map of a kind takes
      asked.set(name, key)
      isIncomplete = true
      return undefined
    },
    missing(kind, id) {
      requests[kind].add(id)
      isIncomplete = true
      return undefined
    },
    isIncomplete: () => isIncomplete,
  }
}

/** Finds people. A person without a row gets one when something is stored for them. */
function personsOf(head: Head, memory: BatchMemory, lookups: Lookups) {
  const touched = new Set<Person>()

  function find(human_ref: string): Person | undefined {
    const known = memory.person(human_ref)
    if (known === undefined) return lookups.missing('humans', human_ref)
    if (known !== null) return known
    head.last_human_key += 1
    const person: Person = {
      human_ref,
      human_key: head.last_human_key,
      marks: noMarks(),
      data_key: undefined,
      erased_at_ms: undefined,
      key: undefined,
      wrapped: undefined,
    }
    memory.addPerson(person)
    touched.add(person)
    return person
  }

  return { find, touched }
}

/** Facts that are loaded for each attempt. */
function lookedUpFacts({ find }: Lookups, { assumed_new }: FactRequests) {
  return {
    record: (aar_id) => find('records', aar_id, aar_id),
    approval: (approval_id) => find('approvals', approval_id, approval_id),
    openApproval: (binding) => find('open_approvals', binding, binding),
    replay: (key) => (assumed_new.has(key) ? undefined : find('replays', key, key)),
    agent: (agent_id) => find('agent_facts', agent_id, agent_id),
    keyHolders: (tenant_id, jkt) =>
      find('key_holders', keyHolderName(tenant_id, jkt), { tenant_id, jkt }) ?? [],
    sharedKeyHolders: (agent_id) => find('sharing', agent_id, agent_id) ?? [],
    hasDelegated: (from, to) => find('delegations', JSON.stringify([from, to]), { from, to }) ?? false,
    registry: (name) => find('registry', registryKey(name), name),
    vouch: (vouch_id) => find('vouches', vouch_id, vouch_id),
    openVouches: (key) => find('open_vouches', JSON.stringify([key.from, key.to ?? null]), key) ?? [],
    linkedRefs: (human_ref) => find('linked_refs', human_ref, human_ref) ?? [],
    countVouches: (from) => find('vouch_counts', from, from) ?? 0,
    hasActedFor: (agent_id, human_ref) =>
      find('acted_for', JSON.stringify([agent_id, human_ref]), { agent_id, human_ref }) ?? false,
    isInTrustGraph: (human_ref) => find('in_trust_graph', human_ref, human_ref) ?? false,
    anchor: (human_ref) => find('anchors', human_ref, human_ref),
    askedScore: (agent_id) => find('asked_scores', agent_id, agent_id),
    habit: (key) => find('habits', habitName(key), key),
    habitKeys: (kind) => find('habit_keys', kindName(kind), kind) ?? [],
    denials: (binding) => find('denials', binding, binding) ?? NO_DENIALS,
    denialsInARow: (root_jti) => find('denials_in_a_row', root_jti, root_jti) ?? [],
    countOpenApprovals: (owner) => find('open_counts', JSON.stringify(owner), owner) ?? 0,
    countLive: (jti) => find('live_counts', jti, jti) ?? 0,
    countLiveOf: (owner) => find('live_counts_of', JSON.stringify(owner), owner) ?? 0,
  } satisfies Partial<Facts>
}

function kindName({ agent_id, human_ref, action, resource }: HabitKind): string {
  return JSON.stringify([agent_id, human_ref, action, resource])
}

/** Facts that the memory keeps between batches. */
function rememberedFacts(
  memory: BatchMemory,
  lookups: Lookups,
  people: People,
  persons: { find(human_ref: string): Person | undefined },
  new_agents: Map<string, Marks>,
) {
  return {
    chain: (jti) => chainIn(memory, lookups, jti),
    agentMarks(agent_id) {
      const known = memory.agent(agent_id)
      if (known === undefined) lookups.missing('agents', agent_id)
      if (known) return known.marks
      const marks = new_agents.get(agent_id) ?? noMarks()
      new_agents.set(agent_id, marks)
      return marks
    },
    isVouchedFor: (agent_id) =>
      memory.isVouchedFor(agent_id) ?? lookups.missing('vouched', agent_id) ?? false,
    humanMarks(human_ref) {
      const known = memory.person(human_ref)
      return known === undefined ? lookups.missing('humans', human_ref) : known?.marks
    },
    newHumanMarks: (human_ref) => persons.find(human_ref)?.marks ?? noMarks(),
    person(human_ref) {
      const known = memory.person(human_ref)
      if (known === undefined) return lookups.missing('humans', human_ref)
      return known === null ? undefined : people.known(human_ref)
    },
  } satisfies Partial<Facts>
}

function chainIn(memory: BatchMemory, lookups: Lookups, jti: string): Chain | undefined {
  const keyed = memory.token(jti)
  if (keyed === undefined) return memory.isAbsent(jti) ? undefined : lookups.missing('tokens', jti)
  const links: Link[] = []
  let one: typeof keyed | undefined = keyed
  while (one !== undefined) {
    const link = memory.link(one.token_key)
    if (link === undefined) return lookups.missing('tokens', jti)
    links.push(link)
    one = one.above_key === undefined ? undefined : memory.tokenByKey(one.above_key)
  }
  const [first, ...above] = links
  return first === undefined ? undefined : [first, ...above]
}
