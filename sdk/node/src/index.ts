export {
  type AllowedAction,
  AuthorityDenied,
  type BegunAction,
  CompletionFailed,
  type DenialReason,
  type Outcome,
  type RunOptions,
} from './actions/action.ts'
export type { Authority, AuthorityOptions, DelegateOptions } from './actions/authority.ts'
export type { AuthorizeDecision } from './actions/authorize-decision.ts'
export { resultHash } from './actions/result-hash.ts'
export {
  type AnsweredSession,
  type AnswerSessionOptions,
  answerSession,
  type Camera,
  type StepRecording,
} from './answer-session.ts'
export {
  type AgentKey,
  importAgentKey,
  type NewKeyOptions,
  newAgentKey,
  type PrivateJwk,
  type PublicJwk,
} from './calls/agent-key.ts'
export type {
  Call,
  CallOptions,
  Download,
  DryRunCall,
  OptionalCall,
  OptionalPagedCall,
  PagedCall,
} from './calls/call-types.ts'
export type { EventsOptions } from './calls/events.ts'
export type { TokenLike } from './calls/token-like.ts'
export { type Deputy, type DeputyOptions, deputy } from './client.ts'
export {
  type ClientCode,
  DeputyError,
  type DeputyErrorCode,
  isDeputyError,
  isUnavailable,
  type Problem,
} from './errors.ts'
export type * from './generated/operations.ts'
export type { ActionFacts, ActionSpan, TracedAction, TraceHeaders, Tracing } from './tracing.ts'
export type { JwkSet } from './verify/jwk-set.ts'
export {
  type LogScore,
  type LogScoreLimit,
  type LogScoreOptions,
  type LogScorePath,
  type LogScores,
  scoresFromLog,
} from './verify/scores-from-log.ts'
export {
  PersonNotVerified,
  type PersonToVerify,
  type VerifyPersonOptions,
  verifyPerson,
} from './verify/verify-person.ts'
export {
  type ReceiptEntry,
  ReceiptRefused,
  type ReceiptTrust,
  type SoundReceipt,
  verifyReceipt,
} from './verify/verify-receipt.ts'
export {
  type Standing,
  TokenRefused,
  type TokenRefusedCode,
  type TokenVerifier,
  tokenVerifier,
  type VerifiedToken,
  type VerifierOptions,
  verifyToken,
} from './verify/verify-token.ts'
export {
  type ReceivedWebhook,
  type VerifiedWebhook,
  verifyWebhook,
  WebhookRefused,
  type WebhookRefusedCode,
  type WebhookRequestHeaders,
} from './verify/verify-webhook.ts'
