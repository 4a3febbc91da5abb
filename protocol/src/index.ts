export type {
  Access,
  Reach,
  Role,
  StepUp,
  Subject,
} from './api/access.ts'
export { ACCESS, accessGaps } from './api/access-table.ts'
export type { AuthzenReason } from './api/actions/authzen.ts'
export { boundToolCall } from './api/actions/bound-request.ts'
export {
  adviceOn,
  deniedWords,
  reasonsWithDetails,
  refusedWords,
  unavailableWords,
  unmappedWords,
  withAdvice,
} from './api/actions/denial-text.ts'
export { EVIDENCE, type Evidence, evidenceIn, evidenceMember } from './api/actions/evidence.ts'
export { ActionRecord, Denial } from './api/actions/records.ts'
export { ACTIVITY_DAYS } from './api/agents/agents.ts'
export {
  APPROVAL_STATES,
  ASKED_BECAUSE,
  type AskedBecause,
  FACE_REASONS,
  type FaceReason,
} from './api/approvals/approvals.ts'

export {
  CHECK_KINDS,
  POLICY_NAMES,
  Policy,
  PolicyAssertion,
  PolicyCheck,
  PolicyRule,
} from './api/deployment/policies.ts'
export { SECURITY_EVENT_KINDS, type SecurityEventKind } from './api/deployment/security-events.ts'
export { KEY_ROLES } from './api/deployment/tenants-and-keys.ts'
export {
  AuthorityError,
  ERRORS,
  type ErrorCode,
  type FieldError,
  invalidField,
} from './api/errors.ts'
export type { EventFormat } from './api/events/list-events.ts'
export {
  MOST_WEBHOOKS,
  type Webhook,
  type WebhookDelivery,
  type WebhookFormat,
} from './api/events/webhooks.ts'
export { GUARD_ERRORS } from './api/guard-errors.ts'
export {
  RECEIPT_TYP,
  Receipt,
  type WitnessStatus,
  type WitnessTrouble,
} from './api/log/transparency.ts'
export {
  type Channel,
  type ChannelKind,
  MESSAGE_TOPICS,
  type MessageTopic,
} from './api/notifications/notifications.ts'
export { OAuthError, oauthErrorBody, oauthErrorOf } from './api/oauth.ts'
export {
  type AnswerOf,
  type CallOf,
  type DownloadAnswer,
  type Lane,
  mayOmitBody,
  type Operation,
} from './api/operation.ts'
export { OPERATIONS, type OperationId } from './api/operations.ts'
export {
  type ApprovalFault,
  ARGUMENT_RULES,
  type ArgumentRule,
  DEFAULT_PAGE,
  type DenialDetail,
  GENERAL_DESCRIPTION,
  MAX_PAGE,
  PERIOD_KINDS,
  type PeriodKind,
  RATINGS,
  type Rating,
  REASONS,
  type Reason,
  type RecordState,
  SPEND_LIMITS,
  type SpendLimit,
  STATES,
} from './api/shapes.ts'
export {
  CAEP_EVENTS,
  MIN_VERIFICATION_INTERVAL_S,
  MOST_SIGNAL_STREAMS,
  POLL_DELIVERY,
  PUSH_DELIVERY,
  SET_TYP,
  type SignalStream,
  SSF_VERIFICATION,
  type StreamDelivery,
} from './api/signals/streams.ts'
export {
  ALERT_EFFECTS,
  type AlertConditionKind,
  type AlertEffect,
} from './api/stats/alert-words.ts'
export type { StatsBucket, StatsGroup } from './api/stats/stats.ts'
export {
  ActiveHours,
  Approvers,
  ArgumentLimit,
  type ArgumentLimits,
  Constraints,
  DAYS,
  type PathLimits,
  RequireApproval,
  SpendPerPeriod,
} from './api/tokens/constraints.ts'
export { RANKS, type Rank, SUSPEND_CODES, type SuspendCode } from './api/tokens/suspension.ts'
export { REVOCATIONS_TYP, type RevocationEntry, STATUS, STATUS_LIST_TYP } from './api/tokens/token-status.ts'
export {
  TOKEN_EXCHANGE,
  TOKEN_TYPE_ACCESS,
  TOKEN_TYPE_JWT,
  VERIFICATION_REASONS,
  type VerificationReason,
} from './api/tokens/token-verification.ts'
export { Claims, Scope, type TokenStatus } from './api/tokens/tokens.ts'
export {
  CaptureStep,
  type EngineView,
  EXTERNAL_MODALITIES,
  MAX_MEDIA_BODY_BYTES,
  VERIFICATION_MODALITIES,
  type VerificationPurpose,
  type VerificationState,
  VerificationView,
} from './api/verification/biometric-sessions.ts'
export type { KeyPasskey } from './api/verification/key-passkeys.ts'
export {
  type AssertionResponse,
  PASSKEY_NEEDS,
  PASSKEY_REASONS,
  type Passkey,
  type PasskeyNeed,
  type PasskeyReason,
  type RegistrationResponse,
} from './api/verification/passkeys.ts'
export {
  type ProviderView,
  SIGN_ON_REASONS,
  type SignOnReason,
} from './api/verification/sign-in.ts'
export { STEP_UP_REASONS, type StepUpReason } from './api/verification/step-up.ts'
export {
  DEFAULT_GRAPH_PAGE,
  EXPORT_FORMATS,
  type ExportFormat,
  GraphEdge,
  GraphNode,
} from './api/workflows/provenance.ts'
export { decodeBase64, encodeBase64 } from './encoding/base64.ts'
export { decodeBase64url, encodeBase64url } from './encoding/base64url.ts'
export { canonicalJson } from './encoding/canonical.ts'
export { csvCell, csvLine } from './encoding/csv.ts'
export { hasInexactNumber, INEXACT_NUMBER } from './encoding/exact-number.ts'
export {
  isResourcePattern,
  NUMBER_FORMATS,
  TEXT_FORMATS,
  withoutAgentPrefix,
} from './encoding/grammar.ts'
export { hmacSha256 } from './encoding/hmac-sha256.ts'
export { ID_PREFIXES, isTokenId, newId, newSuffix } from './encoding/ids.ts'
export { isObject, JsonError, readJson } from './encoding/json.ts'
export { JSON_POINTER, valueAt } from './encoding/json-pointer.ts'
export { MAX_METADATA_BYTES } from './encoding/metadata-limits.ts'
export { toMicroUsd, toUsd } from './encoding/money.ts'
export { textPattern } from './encoding/text-pattern.ts'
export { canonicalTimeZone } from './encoding/time-zone.ts'
export { cutText, visibleText } from './encoding/visible-text.ts'
export {
  cloudEventOf,
  type DeputyEvent,
} from './events/event.ts'
export type { EventType } from './events/event-data.ts'
export { exampleEvent } from './events/event-examples.ts'
export { eventId, eventNumber } from './events/event-id.ts'
export { eventSchema } from './events/event-schema.ts'
export { EVENT_SUMMARIES, EVENT_TYPES } from './events/event-types.ts'
export { OCSF_VERSION, type OcsfRow, type OcsfSource, ocsfRow } from './events/ocsf.ts'
export {
  newWebhookKeys,
  type WebhookSignature,
  webhookHeaders,
} from './events/webhook-signature.ts'
export {
  AUDIT_FILES,
  AUDIT_FORMAT,
  type AuditManifest,
  auditWorkflowFile,
  type ListedFile,
} from './log/audit-manifest.ts'
export { verdictTally } from './log/audit-verdict.ts'
export {
  type Checkpoint,
  CheckpointError,
  checkpointText,
  openCheckpoint,
  readCheckpoint,
  type SignedCheckpoint,
} from './log/checkpoint.ts'
export { DECISION_HEADER, decisionReader } from './log/decisions.ts'
export { type LogEntryContent, readEntry } from './log/entry.ts'
export {
  append,
  consistencyPath,
  consistencyProof,
  decodeFrontier,
  EMPTY_ROOT,
  emptyFrontier,
  encodeFrontier,
  type Frontier,
  HASH_BYTES,
  inclusionPath,
  inclusionProof,
  type LeafRange,
  leafHash,
  nodeHash,
  type PerfectNode,
  perfectNodes,
  rangeHash,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from './log/merkle.ts'
export {
  cosignatureLine,
  isKeyName,
  KEY_TYPES,
  NoteError,
  type NoteKey,
  noteKey,
  readNote,
  readVkey,
  type Sign,
  type Signer,
  signatureLine,
  signedNote,
  signersOf,
  vkeyOf,
} from './log/note.ts'
export {
  beginsToken,
  POLICY_TABLE_HEADER,
  type PolicyFinding,
  policyLine,
} from './log/policy-table.ts'
export { proofPackVerifier } from './log/proof-pack.ts'
export {
  hashesAt,
  joinEntries,
  readTilePath,
  splitEntries,
  splitHashes,
  TILE_LEVELS,
  TILE_WIDTH,
  type Tile,
  tileOf,
  tilePath,
} from './log/tiles.ts'
export {
  ADD_CHECKPOINT_MAX_BYTES,
  type AddCheckpoint,
  addCheckpointBody,
  type Contradiction,
  judgeCheckpoint,
  openCosignature,
  originOf,
  type Refusal,
  readAddCheckpoint,
  readTreeSize,
  TREE_SIZE_TYPE,
  WitnessingError,
} from './log/witnessing.ts'
export {
  CREDENTIAL_FAULTS,
  CredentialError,
  type CredentialFault,
  challenge,
} from './proof/credential-fault.ts'
export { PROOF_WINDOW, type Proof, type ProofWindow, verifyProof } from './proof/dpop.ts'
export { type Admission, memoryGuard, type ReplayGuard, replayKey } from './proof/replay-guard.ts'
export {
  DEFAULT_TENANT,
  isTenantId,
  loggedAgent,
  plainAgent,
  scopedAgent,
  shownAgent,
  tenantOf,
} from './token/agent-name.ts'
export { HOLDER_ALGORITHMS, readHolderJwk, verifyHolder } from './token/holder-key.ts'
export { isSameIssuer, openIssuer, openIssuerPath } from './token/issuer.ts'
export {
  type Ed25519Jwk,
  type HolderJwk,
  isPublishedTestKey,
  KeyError,
  readEd25519Jwk,
  thumbprint,
} from './token/jwk.ts'
export {
  decodeCompact,
  signCompact,
  splitCompact,
  TokenError,
  type VerificationKey,
  verifySignedToken,
} from './token/jws.ts'
export { KEY_PURPOSES, type KeyPurpose } from './token/key-purpose.ts'
export { LEVELS, type Level } from './token/levels.ts'
export { allowsAction, allowsResource, covers, widening } from './token/scope.ts'
export { signStatement } from './token/statements.ts'
export { tokenRef } from './token/token-ref.ts'
