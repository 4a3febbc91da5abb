/**
 * The leaves that the trust graph is built from. The time of a change is the `at` of its leaf. Weights and bases are in
 * millionths. People are named by `human_ref`, agents as `agent:<scoped name>` (see `loggedAgent`).
 *
 * Leaves of other changes matter too:
 *
 * - `session.begun {tenant_id, human_ref, assurance_level}` and `token.issued {agent_id, human_ref, assurance_level}`
 *   verify a person at L2 or L3, for `VERIFICATION_STANDS_MS` from that leaf on. Delegated and renewed tokens don't count.
 * - `registry.changed {kind: 'biometric', human_ref, removed: true}` ends the L3 verification of a person: they withdrew
 *   their consent, or their template was deleted. A verification at L2 stays.
 * - `registry.changed {kind: 'external_check', human_ref, withdraws}` ends the verification of a person at that level: the
 *   verification provider withdrew its result. The next leaf that verifies them counts again.
 * - `human.erased {human_ref}` ends the verifications of a person, their role as an anchor, and every vouch by and for
 *   them. A base of 0 that an operator set stays.
 * - `action.rated {agent_id, rating}` counts once for everyone whose vouch for the agent stands at that leaf.
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
  /** ISO 8601. From this time on, the vouch no longer counts. */
  readonly expires_at?: string
}

/** States the new weight and expiry in full: without `expires_at`, the vouch no longer expires. */
export interface VouchChanged {
  readonly type: 'vouch.changed'
  readonly vouch_id: string
  readonly weight: number
  readonly expires_at?: string
}

/**
 * `own_agent` and `same_person` directly follow the leaf that made the agent the voucher's own (a token in their name, or
 * ownership) or linked the voucher's and the subject's addresses to one person. People can't vouch for themselves, not
 * even by an earlier vouch.
 */
export interface VouchWithdrawn {
  readonly type: 'vouch.withdrawn'
  readonly vouch_id: string
  readonly by: 'person' | 'operator' | 'own_agent' | 'same_person'
}

/**
 * An operator makes a person an anchor. The base replaces the one from verification, even if it is smaller: with 0, a
 * verified person is not an anchor.
 */
export interface AnchorNamed {
  readonly type: 'anchor.named'
  readonly tenant_id: string
  readonly human_ref: string
  readonly base: number
  readonly reason_digest: string
}

/** Only verification decides again whether the person is an anchor. */
export interface AnchorRemoved {
  readonly type: 'anchor.removed'
  readonly tenant_id: string
  readonly human_ref: string
}

/** How long a verification makes a person an anchor: one year. */
export const VERIFICATION_STANDS_MS = 365 * 24 * 3_600_000
