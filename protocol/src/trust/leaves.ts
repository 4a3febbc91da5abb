/**
 * The leaves that a trust graph is made of, as the log has them. Times are the `at` of the leaf. Weights and bases are
 * millionths. People are named by `human_ref`, agents as `agent:<scoped name>` (see `loggedAgent`).
 *
 * Besides these, the graph follows from leaves that other changes write:
 *
 * - `session.begun {tenant_id, human_ref, assurance_level}` and `token.issued {agent_id, human_ref, assurance_level}`
 *   verify a person at L2 or L3, for `VERIFICATION_STANDS_MS` from that leaf on. Delegated and renewed tokens verify no one.
 * - `registry.changed {kind: 'biometric', human_ref, removed: true}` ends the L3 verification of a person: they withdrew
 *   their consent, or their template was deleted. What they have at L2 stands.
 * - `registry.changed {kind: 'external_check', human_ref, withdraws}` ends the verification of a person at that level: an
 *   verification provider took back what it had said. They are verified again by the next leaf that says so.
 * - `human.erased {human_ref}` ends the verifications of a person, the anchor they are, and every vouch from and to
 *   them. A named base of 0 stays.
 * - `action.rated {agent_id, rating}` counts for everyone who has a standing vouch for the agent at that leaf, once.
 */
export interface VouchMade {
  readonly type: 'vouch.made'
  readonly vouch_id: string
  readonly tenant_id: string
  /** The person who vouches. */
  readonly from: string
  readonly to: { readonly human_ref: string } | { readonly agent_id: string }
  readonly weight: number
  readonly context?: string
  readonly note_digest?: string
  /** ISO 8601. The vouch counts in leaves before this time. */
  readonly expires_at?: string
}

/** Every change names the weight and the end that hold from then on; without `expires_at` there is no end. */
export interface VouchChanged {
  readonly type: 'vouch.changed'
  readonly vouch_id: string
  readonly weight: number
  readonly expires_at?: string
}

/**
 * `own_agent` and `same_person` follow directly after the leaf that made the agent the voucher's own (a token in their name,
 * or its ownership), or that linked an address to the person. Nobody vouches for themselves, also not in hindsight.
 */
export interface VouchWithdrawn {
  readonly type: 'vouch.withdrawn'
  readonly vouch_id: string
  readonly by: 'person' | 'operator' | 'own_agent' | 'same_person'
}

/**
 * An operator names a person as an anchor. The base replaces the one that verification would give, also where it is
 * smaller: with 0, a verified person is not an anchor.
 */
export interface AnchorNamed {
  readonly type: 'anchor.named'
  readonly tenant_id: string
  readonly human_ref: string
  readonly base: number
  readonly reason_digest: string
}

/** The person is what verification makes them again. */
export interface AnchorRemoved {
  readonly type: 'anchor.removed'
  readonly tenant_id: string
  readonly human_ref: string
}

/** How long a verification makes a person an anchor: one year. */
export const VERIFICATION_STANDS_MS = 365 * 24 * 3_600_000
