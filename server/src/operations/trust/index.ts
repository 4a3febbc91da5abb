import { findTrustPaths } from './find-trust-paths.ts'
import { getTrustGraph } from './get-trust-graph.ts'
import { getVouch } from './get-vouch.ts'
import { getVouchScore } from './get-vouch-score.ts'
import { listAnchors } from './list-anchors.ts'
import { listVouches } from './list-vouches.ts'
import { nameAnchor } from './name-anchor.ts'
import { rankByVouches } from './rank-by-vouches.ts'
import { removeAnchor } from './remove-anchor.ts'
import { updateVouch } from './update-vouch.ts'
import { vouch } from './vouch.ts'
import { withdrawVouch } from './withdraw-vouch.ts'

export const TRUST_HANDLERS = {
  vouch,
  listVouches,
  getVouch,
  updateVouch,
  withdrawVouch,
  getVouchScore,
  findTrustPaths,
  getTrustGraph,
  rankByVouches,
  nameAnchor,
  removeAnchor,
  listAnchors,
}
