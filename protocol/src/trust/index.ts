/** Recomputes the scores of the trust graph from log entries alone, in Node and in browsers. */

export type { AnchorNamed, AnchorRemoved, VouchChanged, VouchMade, VouchWithdrawn } from './leaves.ts'
export { type TenantSubject, TrustLedger } from './ledger.ts'
export { scoreOf } from './score.ts'
export type { CutPart, ScoreOptions, VouchPath, VouchScore } from './score-types.ts'
