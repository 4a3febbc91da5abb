import type { DeputyEvent, EventType } from '@deputize/protocol'
import type { Leaf } from '../log/leaf.ts'
import { audienceOf, type EventAudience, maySee, type Subscriber } from './audience.ts'
import { eventOf, eventTypeOf } from './event.ts'
import type { LeafNameReader, LeafSubject } from './leaf-names.ts'

/** A leaf that is an event, decoded once for all receivers. */
export class LoggedChange {
  readonly log_index: number
  readonly type: EventType
  readonly leaf: Leaf
  readonly audience: EventAudience
  readonly #subject: LeafSubject
  readonly #names: LeafNameReader
  #event: Promise<DeputyEvent> | undefined

  constructor(
    log_index: number,
    type: EventType,
    leaf: Leaf,
    { subject, names }: { readonly subject: LeafSubject; readonly names: LeafNameReader },
  ) {
    this.log_index = log_index
    this.type = type
    this.leaf = leaf
    this.audience = audienceOf(leaf, type, subject)
    this.#subject = subject
    this.#names = names
  }

  /** The number of the event. */
  get number(): number {
    return this.#names.numbers.of(this.log_index)
  }

  /** The agent that it is about, by its name in the service. */
  get agent_id(): string | undefined {
    return this.#subject.names.agent_id
  }

  /** The token that it is about, by its name in the log. */
  get token_ref(): string | undefined {
    return this.#subject.token_ref
  }

  /** The event, built once for all receivers. */
  event(): Promise<DeputyEvent> {
    this.#event ??= this.#makeEvent().catch((error) => {
      this.#event = undefined // the store may answer next time
      throw error
    })
    return this.#event
  }

  /** Like `maySee`. For agents, looks up the token's chain, once. */
  isSeenBy(subscriber: Subscriber): boolean | Promise<boolean> {
    if (subscriber.role !== 'agent') return maySee(subscriber, this.audience)
    if (this.audience.provenance_ref !== subscriber.provenance_ref) return false
    const { token_ref } = this
    if (token_ref === subscriber.token_ref)
      return maySee(subscriber, { ...this.audience, token_path: [token_ref] })
    return this.#names
      .pathOf(this.leaf, this.#subject, this.log_index)
      .then((token_path) => maySee(subscriber, { ...this.audience, token_path }))
  }

  async #makeEvent(): Promise<DeputyEvent> {
    const { tenant_id = '', names } = this.#subject
    const vat_jti = await this.#names.jtiOf(this.leaf, this.#subject, this.log_index)
    const above_jti = await this.#names.aboveJtiOf(this.leaf, this.log_index)
    const { number } = this
    return eventOf(this.leaf, this.log_index, this.type, { ...names, number, tenant_id, vat_jti, above_jti })
  }
}

/** A log entry in the form in which the feed reads it. */
export interface DecodedLeaf {
  readonly log_index: number
  readonly leaf: Leaf
  /** Undefined for a leaf that isn't an event. */
  readonly change: LoggedChange | undefined
}

/** Returns a promise only if something must be looked up. */
export function decodeLeaf(
  text: string,
  log_index: number,
  names: LeafNameReader,
): DecodedLeaf | Promise<DecodedLeaf> {
  const leaf: Leaf = JSON.parse(text) // the clerk wrote it
  const type = eventTypeOf(leaf)
  if (type === undefined) return { log_index, leaf, change: undefined }
  const told = (subject: LeafSubject) => ({
    log_index,
    leaf,
    change: new LoggedChange(log_index, type, leaf, { subject, names }),
  })
  const subject = names.subjectOf(leaf)
  return subject instanceof Promise ? subject.then(told) : told(subject)
}
