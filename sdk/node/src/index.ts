export {
  type AllowedAction,
  AuthorityDenied,
  type BegunAction,
  CompletionFailed,
  type DenialReason,
  type Outcome,
  type RunOptions,
} from './action.ts'
export {
  type AgentKey,
  importAgentKey,
  type NewKeyOptions,
  newAgentKey,
  type PrivateJwk,
  type PublicJwk,
} from './agent-key.ts'
export {
  type AnsweredSession,
  type AnswerSessionOptions,
  answerSession,
  type Camera,
  type StepRecording,
} from './answer-session.ts'
export type { Authority, AuthorityOptions, DelegateOptions } from './authority.ts'
export type { AuthorizeDecision } from './authorize-decision.ts'
export type {
  Call,
  CallOptions,
  Download,
  DryRunCall,
  OptionalCall,
  OptionalPagedCall,
  PagedCall,
} from './call-types.ts'
export { type Deputy, type DeputyOptions, deputy } from './client.ts'
export {
  type ClientCode,
  DeputyError,
  type DeputyErrorCode,
  isDeputyError,
  isUnavailable,
  type Problem,
} from './errors.ts'
export type { EventsOptions } from './events.ts'
export type * from './generated/operations.ts'
export type { JwkSet } from './jwk-set.ts'
export { resultHash } from './result-hash.ts'
export {
  type LogScore,
  type LogScoreLimit,
  type LogScoreOptions,
  type LogScorePath,
  type LogScores,
  scoresFromLog,
} from './scores-from-log.ts'
export type { TokenLike } from './token-like.ts'
export type { ActionFacts, ActionSpan, TracedAction, TraceHeaders, Tracing } from './tracing.ts'
export {
  PersonNotVerified,
  type PersonToVerify,
  type VerifyPersonOptions,
  verifyPerson,
} from './verify-person.ts'
export {
  type ReceiptEntry,
  ReceiptRefused,
  type ReceiptTrust,
  type SoundReceipt,
  verifyReceipt,
} from './verify-receipt.ts'
export {
  type Standing,
  TokenRefused,
  type TokenRefusedCode,
  type TokenVerifier,
  tokenVerifier,
  type VerifiedToken,
  type VerifierOptions,
  verifyToken,
} from './verify-token.ts'
export {
  type ReceivedWebhook,
  type VerifiedWebhook,
  verifyWebhook,
  WebhookRefused,
  type WebhookRefusedCode,
  type WebhookRequestHeaders,
} from './verify-webhook.ts'
