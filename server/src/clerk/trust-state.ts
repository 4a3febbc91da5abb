import { loggedAgent } from '@deputize/protocol'
import type { AskedScore, KeptScore, StoredAnchor, StoredVouch } from '../domain/vouch.ts'
import type { Changes } from '../store/port/changes.ts'
import type { Facts, OpenVouches } from '../store/port/write-store.ts'
import { LoadedOnce } from './loaded-once.ts'

/** The vouches, anchors and scores of one batch. Part of `BatchState`, with the same guarantees. */
export class TrustState {
  readonly #facts: Facts
  readonly #changes: Changes
  readonly #vouches: LoadedOnce<StoredVouch>
  readonly #madeVouches: StoredVouch[] = []

  constructor(facts: Facts, changes: Changes) {
    this.#facts = facts
    this.#changes = changes
    this.#vouches = new LoadedOnce(facts.vouch)
  }

  vouch(vouch_id: string): StoredVouch | undefined {
    return this.#vouches.get(vouch_id)
  }

  /** A person's vouches, or those for one subject, that haven't been ended. They may have expired. */
  openVouches({ from, to }: OpenVouches): StoredVouch[] {
    const stored = this.#facts.openVouches(to === undefined ? { from } : { from, to })
    const made = this.#madeVouches.filter((one) => one.from === from && (to === undefined || one.to === to))
    return [...stored.map((one) => this.#vouches.keep(one.vouch_id, one)), ...made].filter(
      ({ ended_index }) => ended_index === undefined,
    )
  }

  /** Whether any vouch for the agent hasn't been ended. A vouch that this batch ends still counts. */
  isVouchedFor(agent_id: string): boolean {
    const subject = loggedAgent(agent_id)
    return this.#madeVouches.some(({ to }) => to === subject) || this.#facts.isVouchedFor(agent_id)
  }

  /** Counts a person's standing vouches. A vouch that this batch ends still counts. */
  countVouches(from: string): number {
    return this.#facts.countVouches(from) + this.#madeVouches.filter((one) => one.from === from).length
  }

  addVouch(vouch: StoredVouch): void {
    this.saveVouch(vouch)
    this.#vouches.set(vouch.vouch_id, vouch)
    this.#madeVouches.push(vouch)
  }

  /** Saves a vouch. Call it after changing it. */
  saveVouch(vouch: StoredVouch): void {
    this.#changes.vouches.add(vouch)
  }

  /** Whether any vouch from or to the person hasn't been ended, or an operator gave them a base above 0. */
  isInTrustGraph(human_ref: string): boolean {
    return this.#facts.isInTrustGraph(human_ref)
  }

  anchor(human_ref: string): StoredAnchor | undefined {
    return this.#changes.anchors.get(human_ref) ?? this.#facts.anchor(human_ref)
  }

  saveAnchor(anchor: StoredAnchor): void {
    this.#changes.anchors.set(anchor.human_ref, anchor)
  }

  /** The last computed score of an agent. Undefined if it was never computed. */
  keptScore(agent_id: string): KeptScore | undefined {
    return this.#askedScore(agent_id)?.kept
  }

  /** Makes the service compute and store the agent's score from now on. */
  askScore(agent_id: string, asked_index: number): void {
    if (this.#askedScore(agent_id) === undefined)
      this.#changes.vouch_scores.set(agent_id, { agent_id, asked_index, kept: undefined })
  }

  /** Stores a score that was computed at a larger log size than the stored one. Returns whether it was. */
  keepScore(agent_id: string, kept: KeptScore): boolean {
    const asked = this.#askedScore(agent_id)
    if (asked === undefined || kept.log_size <= (asked.kept?.log_size ?? -1)) return false
    this.#changes.vouch_scores.set(agent_id, { ...asked, kept })
    return true
  }

  #askedScore(agent_id: string): AskedScore | undefined {
    return this.#changes.vouch_scores.get(agent_id) ?? this.#facts.askedScore(agent_id)
  }
}
