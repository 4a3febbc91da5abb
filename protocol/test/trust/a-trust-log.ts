import type { LogEntryContent } from '../../src/log/entry.ts'
import type {
  AnchorNamed,
  AnchorRemoved,
  VouchChanged,
  VouchMade,
  VouchWithdrawn,
} from '../../src/trust/leaves.ts'
import { TrustLedger } from '../../src/trust/ledger.ts'
import { scoreOf } from '../../src/trust/score.ts'
import type { ScoreOptions, VouchScore } from '../../src/trust/score-types.ts'

const START_MS = Date.parse('2026-01-01T00:00:00.000Z')

/** The leaves that exist only for the trust graph. */
type OwnLeaf = VouchMade | VouchChanged | VouchWithdrawn | AnchorNamed | AnchorRemoved

interface VouchMembers {
  readonly weight?: number
  readonly context?: string
  readonly expires_at?: string
  readonly tenant_id?: string
  readonly vouch_id?: string
}

/** A log in the form that the service writes, and the ledger that reads it. Agents are called `agent:<name>`. */
export class ATrustLog {
  readonly leaves: LogEntryContent[] = []
  readonly ledger = new TrustLedger()
  #now_ms = START_MS
  #vouches = 0

  /** A copy of a log, which can be continued. */
  static of(leaves: readonly LogEntryContent[]): ATrustLog {
    const log = new ATrustLog()
    for (const leaf of leaves) log.add(leaf)
    return log
  }

  get now(): string {
    return new Date(this.#now_ms).toISOString()
  }

  wait(ms: number): void {
    this.#now_ms += ms
    this.leaf('key.rotated', {})
  }

  leaf(type: string, members: Record<string, unknown>): void {
    this.#now_ms += 1
    this.add({ v: 1, type, at: this.now, ...members })
  }

  own({ type, ...members }: OwnLeaf): void {
    this.leaf(type, members)
  }

  change(vouch_id: string, weight: number, end: { expires_at?: string } = {}): void {
    this.own({ type: 'vouch.changed', vouch_id, weight, ...end })
  }

  nameAnchor(human_ref: string, base: number): void {
    this.own({ type: 'anchor.named', tenant_id: 'default', human_ref, base, reason_digest: 'hmac:1' })
  }

  removeAnchor(human_ref: string): void {
    this.own({ type: 'anchor.removed', tenant_id: 'default', human_ref })
  }

  add(leaf: LogEntryContent): void {
    this.#now_ms = Date.parse(leaf.at)
    this.leaves.push(leaf)
    this.ledger.apply(leaf)
    if (leaf.type === 'vouch.made') this.#vouches += 1
  }

  verify(human_ref: string, assurance_level = 'L3', tenant_id = 'default'): void {
    this.leaf('session.begun', { human_ref, tenant_id, assurance_level })
  }

  vouch(from: string, to: string, members: VouchMembers = {}): string {
    const {
      vouch_id = `vch_${this.#vouches + 1}`,
      weight = 1_000_000,
      tenant_id = 'default',
      ...rest
    } = members
    const subject = to.startsWith('agent:') ? { agent_id: to } : { human_ref: to }
    this.own({ type: 'vouch.made', vouch_id, tenant_id, from, to: subject, weight, ...rest })
    return vouch_id
  }

  withdraw(vouch_id: string): void {
    this.own({ type: 'vouch.withdrawn', vouch_id, by: 'person' })
  }

  rate(agent_id: string, rating: string, times = 1): void {
    for (let time = 0; time < times; time += 1)
      this.leaf('action.rated', { aar_id: `aar_${time}`, agent_id, rating, rater_assurance: 'L1' })
  }

  score(subject: string, options?: ScoreOptions): VouchScore {
    return scoreOf(this.ledger.graph, subject, options)
  }

  flow(subject: string, options?: ScoreOptions): number {
    return this.score(subject, options).flow
  }
}
