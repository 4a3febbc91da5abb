import type { Operation } from '../operation.ts'
import { delegate, previewDelegation, renewToken } from './delegation.ts'
import { issueL2 } from './issue-l2.ts'
import { releaseToken } from './review.ts'
import { previewRevocation, resumeToken, revokeToken, suspendToken } from './revocation.ts'
import { getStatusList, listRevocations } from './token-status.ts'
import { exchangeToken, introspectToken, revokeOauthToken, verifyToken } from './token-verification.ts'
import {
  getToken,
  getTokenBudget,
  getTokenChain,
  getTokenUsage,
  issueL1,
  listDescendants,
  listTokens,
} from './tokens.ts'

export const TOKEN_OPERATIONS = {
  issueL1,
  issueL2,
  delegate,
  previewDelegation,
  renewToken,
  listTokens,
  getToken,
  getTokenChain,
  listDescendants,
  getTokenBudget,
  getTokenUsage,
  revokeToken,
  previewRevocation,
  suspendToken,
  resumeToken,
  releaseToken,
  verifyToken,
  introspectToken,
  exchangeToken,
  revokeOauthToken,
  listRevocations,
  getStatusList,
} as const satisfies Record<string, Operation>
