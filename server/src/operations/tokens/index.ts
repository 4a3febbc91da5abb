import { delegate } from './delegate.ts'
import { exchangeToken } from './exchange-token.ts'
import { getStatusList } from './get-status-list.ts'
import { getToken } from './get-token.ts'
import { getTokenBudget } from './get-token-budget.ts'
import { getTokenChain } from './get-token-chain.ts'
import { getTokenUsage } from './get-token-usage.ts'
import { introspectToken } from './introspect-token.ts'
import { issueL1 } from './issue-l1.ts'
import { issueL2 } from './issue-l2.ts'
import { listDescendants } from './list-descendants.ts'
import { listRevocations } from './list-revocations.ts'
import { listTokens } from './list-tokens.ts'
import { previewDelegation } from './preview-delegation.ts'
import { previewRevocation } from './preview-revocation.ts'
import { releaseToken } from './release-token.ts'
import { renewToken } from './renew-token.ts'
import { resumeToken } from './resume-token.ts'
import { revokeOauthToken } from './revoke-oauth-token.ts'
import { revokeToken } from './revoke-token.ts'
import { suspendToken } from './suspend-token.ts'
import { verifyToken } from './verify-token.ts'

export const TOKEN_HANDLERS = {
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
}
