import type { AskedScore, StoredAnchor, StoredVouch } from '../../domain/vouch.ts'
import type { TenantFilter, VouchFilter } from './filters.ts'
import type { StoredLeaf } from './log-reader.ts'
import type { Page, PageRequest } from './pages.ts'

/** Leaves that change the trust graph. */
export interface TrustLeaves {
  /** The size of the log at that moment, and the time of its newest leaf. Every such leaf below it was considered. */
  readonly log_size: number
  readonly last_ms: number
  readonly leaves: readonly StoredLeaf[]
}

/** Committed vouches, anchors and scores. */
export interface TrustReader {
  vouch(vouch_id: string): Promise<StoredVouch | undefined>
  /** Newest first. */
  vouches(filter: VouchFilter, page: PageRequest): Promise<Page<StoredVouch>>
  /** Anchors that operators named and haven't removed, newest first. */
  anchors(filter: TenantFilter, page: PageRequest): Promise<Page<StoredAnchor>>
  anchor(human_ref: string): Promise<StoredAnchor | undefined>
  /** Leaves from `since` on in log order, at most `limit`. Other leaves cost nothing. */
  leaves(since: number, limit: number): Promise<TrustLeaves>
  /** The agents whose score a token asks for, sorted by name; at most `limit` after `after`. */
  askedScores(after: string, limit: number): Promise<AskedScore[]>
}
