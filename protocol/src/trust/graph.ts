import { accuracyOf, noRatings, type RatingTally } from './accuracy.ts'
import { MILLION, vouchCapacity } from './capacity.ts'
import { Distances, type StandingVouches } from './distance.ts'
import { GrowingInts } from './growing.ts'
import { Scratch } from './scratch.ts'
import { VouchLists } from './vouch-lists.ts'

/** The number of the context that every vouch without one has. */
export const NO_CONTEXT = 0

/** Offsets of a vouch's facts, the first of which is its voucher. */
const TO = 1
const WEIGHT = 2
const CONTEXT = 3
const FACTS = 4

/** Distances are kept for this many contexts, the most recently used. */
const KEPT_CONTEXTS = 16

export interface NewVouch {
  readonly vouch_id: string
  readonly from: string
  readonly to: string
  /** 1 to 1,000,000. */
  readonly weight: number
  readonly context?: string | undefined
}

/**
 * People, agents, and their standing vouches. People and agents are nodes with a number, vouches have numbers in the
 * order in which they were made. Everything is in flat lists: a million vouches take some hundred megabytes, most of
 * them for the IDs.
 */
export class TrustGraph implements StandingVouches {
  /** For scores, which are computed one at a time. */
  readonly scratch = new Scratch()
  readonly #nodes = new Map<string, number>()
  readonly #names: string[] = []
  /** 1 for agents, 0 for people. */
  readonly #kinds = new GrowingInts()
  readonly #bases = new GrowingInts()
  readonly #vouches = new Map<string, number>()
  readonly #ids: string[] = []
  /** Voucher, subject, weight and context of each vouch, side by side: a search reads them together. */
  readonly #facts = new GrowingInts()
  readonly #context_numbers = new Map<string, number>()
  readonly #context_names: string[] = []
  /** The ratings that the agent had when it was vouched for, three numbers for each vouch. */
  readonly #ratings_before = new GrowingInts()
  readonly #ratings_of_agents = new Map<number, RatingTally>()
  /** The ratings that count for a person by vouches that have ended. */
  readonly #ratings_by_ended = new Map<number, RatingTally>()
  readonly #ins = new VouchLists()
  /** The vouchers of `#ins`, place by place: a search reads the facts of a vouch only if its voucher is near enough. */
  readonly #in_froms = new VouchLists()
  readonly #outs_to_people = new VouchLists()
  readonly #outs_to_agents = new VouchLists()
  /** The vouches of each context but `NO_CONTEXT`. */
  readonly #of_context = new VouchLists()
  readonly #distances = new Map<number, Distances>()
  /** Accuracies in millionths; 0 where unknown, because a known one is above 0: everyone starts with some credit. */
  readonly #accuracies = new GrowingInts()
  /** Agents with ratings that aren't in the accuracies of their vouchers yet. */
  readonly #rated = new Set<number>()

  get nodeCount(): number {
    return this.#names.length
  }

  /** Number of vouches so far, including those that have ended. */
  get vouchCount(): number {
    return this.#ids.length
  }

  /** The number of a person or agent; undefined if no leaf named it. */
  nodeOf(name: string): number | undefined {
    return this.#nodes.get(name)
  }

  nameOf(node: number): string {
    return this.#names[node] ?? ''
  }

  isAgent(node: number): boolean {
    return this.#kinds.at(node) === 1
  }

  /** What the person adds as an anchor. */
  baseOf(node: number): number {
    return this.#bases.at(node)
  }

  /** The number of a standing vouch. */
  vouchOf(vouch_id: string): number | undefined {
    return this.#vouches.get(vouch_id)
  }

  idOf(vouch: number): string {
    return this.#ids[vouch] ?? ''
  }

  fromOf(vouch: number): number {
    return this.#facts.at(vouch * FACTS)
  }

  toOf(vouch: number): number {
    return this.#facts.at(vouch * FACTS + TO)
  }

  /** 0 after the end of the vouch. */
  weightOf(vouch: number): number {
    return this.#facts.at(vouch * FACTS + WEIGHT)
  }

  contextOf(vouch: number): number {
    return this.#facts.at(vouch * FACTS + CONTEXT)
  }

  /** What the vouch can carry if its voucher is `distance` hops from the nearest anchor. */
  capacityOf(vouch: number, distance: number): number {
    return vouchCapacity(this.weightOf(vouch), distance, this.accuracyOf(this.fromOf(vouch)))
  }

  isStanding(vouch: number): boolean {
    return this.weightOf(vouch) > 0
  }

  /** Whether the vouch stands and counts in the context. */
  counts(vouch: number, context: number): boolean {
    if (!this.isStanding(vouch)) return false
    const own = this.contextOf(vouch)
    return own === NO_CONTEXT || own === context
  }

  /** The number of a context. Undefined if no vouch has it, so that only vouches without a context count. */
  contextNumber(context: string | undefined): number | undefined {
    return context === undefined ? NO_CONTEXT : this.#context_numbers.get(context)
  }

  /** The name of a context; undefined for `NO_CONTEXT`. */
  contextName(number: number): string | undefined {
    return this.#context_names[number - 1]
  }

  /** Vouches for a node, some of which may have ended. */
  insOf(node: number): readonly number[] {
    return this.#ins.of(node)
  }

  /** Who made each of the vouches of `insOf`, in the same order. */
  inFromsOf(node: number): readonly number[] {
    return this.#in_froms.of(node)
  }

  /** Vouches of a person for people, some of which may have ended. */
  outsToPeople(node: number): readonly number[] {
    return this.#outs_to_people.of(node)
  }

  /** Vouches of a person for agents, some of which may have ended. */
  outsToAgents(node: number): readonly number[] {
    return this.#outs_to_agents.of(node)
  }

  /** The standing vouches of a person for a subject, oldest first, looked for in the shorter of two lists. */
  standingBetween(voucher: number, subject: number): number[] {
    const outs = this.#outsFor(subject).of(voucher)
    const ins = this.insOf(subject)
    return (outs.length < ins.length ? outs : ins).filter(
      (vouch) => this.fromOf(vouch) === voucher && this.toOf(vouch) === subject && this.isStanding(vouch),
    )
  }

  /** The number of a person or agent, added if it is new. */
  addNode(name: string): number {
    const known = this.#nodes.get(name)
    if (known !== undefined) return known
    const node = this.#names.push(name) - 1
    this.#nodes.set(name, node)
    this.#kinds.push(name.startsWith('agent:') ? 1 : 0)
    this.#bases.push(0)
    this.#accuracies.push(0)
    return node
  }

  /** Makes a person an anchor with this base, or no anchor with 0. */
  setBase(node: number, base: number): void {
    if (this.baseOf(node) === base) return
    this.#bases.values[node] = base
    for (const distances of this.#distances.values()) distances.noteRoot(node)
  }

  addVouch({ vouch_id, from, to, weight, context }: NewVouch): number {
    const vouch = this.#ids.push(vouch_id) - 1
    const [voucher, subject] = [this.addNode(from), this.addNode(to)]
    this.#vouches.set(vouch_id, vouch)
    const number = this.#addContext(context)
    for (const fact of [voucher, subject, weight, number]) this.#facts.push(fact)
    const { approved, flagged, rejected } = this.#ratings_of_agents.get(subject) ?? noRatings()
    for (const count of [approved, flagged, rejected]) this.#ratings_before.push(count)
    this.#ins.add(subject, vouch)
    this.#in_froms.add(subject, voucher)
    if (number !== NO_CONTEXT) this.#of_context.add(number, vouch)
    this.#outsFor(subject).add(voucher, vouch)
    for (const distances of this.#distances.values()) distances.noteMade(vouch)
    return vouch
  }

  changeWeight(vouch: number, weight: number): void {
    this.#facts.values[vouch * FACTS + WEIGHT] = weight
  }

  endVouch(vouch: number): void {
    if (!this.isStanding(vouch)) return
    const [voucher, subject] = [this.fromOf(vouch), this.toOf(vouch)]
    this.#keepRatings(voucher, vouch)
    // The agent may have been rated, and its list may now lose the voucher.
    this.#accuracies.values[voucher] = 0
    this.#facts.values[vouch * FACTS + WEIGHT] = 0
    this.#vouches.delete(this.idOf(vouch))
    this.#ids[vouch] = ''
    const isStanding = (other: number) => this.isStanding(other)
    if (this.#ins.noteEnded(subject, isStanding))
      this.#in_froms.replace(
        subject,
        this.insOf(subject).map((other) => this.fromOf(other)),
      )
    if (this.contextOf(vouch) !== NO_CONTEXT) this.#of_context.noteEnded(this.contextOf(vouch), isStanding)
    this.#outsFor(subject).noteEnded(voucher, isStanding)
    for (const distances of this.#distances.values()) distances.noteEnded(vouch)
  }

  rate(agent: number, rating: keyof RatingTally): void {
    const tally = this.#ratings_of_agents.get(agent) ?? noRatings()
    tally[rating] += 1
    this.#ratings_of_agents.set(agent, tally)
    this.#rated.add(agent)
  }

  /** The accuracy of a person's vouches so far. It changes only with ratings of agents that they vouch for. */
  accuracyOf(person: number): number {
    if (this.#rated.size > 0) this.#forgetAccuracies()
    const known = this.#accuracies.at(person)
    if (known > 0) return known
    const accuracy = this.#computeAccuracy(person)
    this.#accuracies.values[person] = accuracy
    return accuracy
  }

  #forgetAccuracies(): void {
    for (const agent of this.#rated)
      for (const voucher of this.#in_froms.of(agent)) this.#accuracies.values[voucher] = 0
    this.#rated.clear()
  }

  #computeAccuracy(person: number): number {
    const ended = this.#ratings_by_ended.get(person)
    const vouches = this.outsToAgents(person)
    // Most people vouch for no agent, and nothing was ever rated by their word.
    if (ended === undefined && vouches.length === 0) return MILLION
    const tally = { ...(ended ?? noRatings()) }
    const counted = new Set<number>()
    for (const vouch of vouches) {
      // A rating counts once, by the oldest vouch, in however many contexts the person vouches for the agent.
      if (!this.isStanding(vouch) || counted.has(this.toOf(vouch))) continue
      counted.add(this.toOf(vouch))
      this.#addRatings(tally, vouch)
    }
    return accuracyOf(tally)
  }

  /** How far people are from the nearest anchor in a context. Kept, and changed with the graph. */
  distances(context: number): Distances {
    const known = this.#distances.get(context)
    if (known !== undefined) {
      // Moved to the end, as the most recently used.
      this.#distances.delete(context)
      this.#distances.set(context, known)
      return known
    }
    const distances = context === NO_CONTEXT ? this.#distancesFromAnchors() : this.#distancesIn(context)
    this.#forgetContexts(KEPT_CONTEXTS - 1)
    this.#distances.set(context, distances)
    return distances
  }

  /** How far people are from one person. */
  distancesFrom(person: number, context: number): Distances {
    const distances = new Distances(this, context, (node) => node === person)
    distances.noteRoot(person)
    return distances
  }

  #distancesFromAnchors(): Distances {
    const distances = new Distances(this, NO_CONTEXT, (node) => this.baseOf(node) > 0)
    for (let node = 0; node < this.nodeCount; node += 1) distances.noteRoot(node)
    return distances
  }

  /** Visits only the vouches of the context, so that using many contexts in turn costs little. */
  #distancesIn(context: number): Distances {
    const distances = this.distances(NO_CONTEXT).copyFor(context)
    for (const vouch of this.#of_context.of(context)) distances.noteMade(vouch)
    return distances
  }

  #forgetContexts(most: number): void {
    for (const context of this.#distances.keys()) {
      if (this.#distances.size <= most) return
      this.#distances.delete(context)
    }
  }

  #addContext(context: string | undefined): number {
    if (context === undefined) return NO_CONTEXT
    const known = this.#context_numbers.get(context)
    if (known !== undefined) return known
    const number = this.#context_names.push(context)
    this.#context_numbers.set(context, number)
    return number
  }

  #outsFor(subject: number): VouchLists {
    return this.isAgent(subject) ? this.#outs_to_agents : this.#outs_to_people
  }

  /** Keeps the ratings that count by a vouch that ends. The next oldest vouch for the agent counts those from now on. */
  #keepRatings(voucher: number, vouch: number): void {
    const agent = this.toOf(vouch)
    if (!this.isAgent(agent)) return
    const [oldest, next] = this.standingBetween(voucher, agent)
    if (oldest !== vouch) return
    const tally = this.#ratings_by_ended.get(voucher) ?? noRatings()
    this.#addRatings(tally, vouch)
    this.#ratings_by_ended.set(voucher, tally)
    if (next === undefined) return
    const { approved, flagged, rejected } = this.#ratings_of_agents.get(agent) ?? noRatings()
    this.#ratings_before.values.set([approved, flagged, rejected], next * 3)
  }

  /** Adds the ratings that the agent has received since it was vouched for. */
  #addRatings(tally: RatingTally, vouch: number): void {
    const now = this.#ratings_of_agents.get(this.toOf(vouch))
    if (now === undefined) return
    tally.approved += now.approved - this.#ratings_before.at(vouch * 3)
    tally.flagged += now.flagged - this.#ratings_before.at(vouch * 3 + 1)
    tally.rejected += now.rejected - this.#ratings_before.at(vouch * 3 + 2)
  }
}
