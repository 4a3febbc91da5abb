import type { Operation } from '../operation.ts'
import { listAnchors, nameAnchor, removeAnchor } from './anchors.ts'
import { findTrustPaths, getTrustGraph, getVouchScore, rankByVouches } from './scores.ts'
import { getVouch, listVouches, updateVouch, vouch, withdrawVouch } from './vouches.ts'

export const TRUST_OPERATIONS = {
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
} as const satisfies Record<string, Operation>
