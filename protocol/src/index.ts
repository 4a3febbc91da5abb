export {
  ACCESS,
  type Access,
  accessGaps,
  REACHES,
  type Reach,
  ROLES,
  type Role,
  type Subject,
} from './access.ts'
export {
  ApiKey,
  KEY_ROLES,
  STEP_UPS,
  type StepUp,
  Tenant,
} from './access-keys.ts'
export {
  DEFAULT_TENANT,
  isTenantId,
  loggedAgent,
  plainAgent,
  scopedAgent,
  shownAgent,
  tenantOf,
} from './agent-name.ts'
export { getReputation, Reputation } from './agents.ts'
export { Approval } from './approvals.ts'
export { decodeBase64url, encodeBase64url } from './base64url.ts'
export { CanonicalError, canonicalJson } from './canonical.ts'
export { ActiveHours, Constraints, DAYS, RequireApproval } from './constraints.ts'
export {
  type DenialFacts,
  type DeniedCall,
  deniedWords,
  refusedWords,
  unavailableWords,
} from './denial-words.ts'
export { AuthorityError, ERRORS, type ErrorCode, type FieldError, invalidField } from './errors.ts'
export { EVIDENCE, type Evidence, evidenceIn, evidenceMember } from './evidence.ts'
export { isDateTime, isResource, isResourcePattern, NUMBER_FORMATS, TEXT_FORMATS } from './grammar.ts'
export { HOLDER_ALGORITHMS, readHolderJwk, verifyHolder } from './holder-key.ts'
export {
  LOGIN_STATUSES,
  type LoginStatus,
  type ProviderView,
  SIGN_ON_REASONS,
  type SignOnReason,
} from './identity.ts'
export { ID_PREFIXES, type IdKind, newId, newSuffix } from './ids.ts'
export { JSON_LIMITS, JsonError, type JsonReason, readJson } from './json.ts'
export {
  type Ed25519Jwk,
  type HolderJwk,
  isPublishedTestKey,
  KeyError,
  readEd25519Jwk,
  thumbprint,
} from './jwk.ts'
export {
  type CompactParts,
  decodeCompact,
  type JwsHeader,
  MAX_TOKEN_BYTES,
  signCompact,
  splitCompact,
  TokenError,
  type VerificationKey,
  type VerifierContext,
  verifyToken,
} from './jws.ts'
export { LEVELS, type Level } from './levels.ts'
export { decodeBase64, encodeBase64 } from './log/base64.ts'
export {
  type Checkpoint,
  CheckpointError,
  checkpointText,
  openCheckpoint,
  readCheckpoint,
  type SignedCheckpoint,
} from './log/checkpoint.ts'
export {
  cosignatureLine,
  isKeyName,
  KEY_TYPES,
  type Note,
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
  hashesAt,
  joinEntries,
  MAX_ENTRY_BYTES,
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
} from './merkle.ts'
export { isUsd, MAX_USD, toMicroUsd, toUsd } from './money.ts'
export { OAuthError, oauthErrorBody, oauthErrorOf } from './oauth.ts'
export { openApiDocument } from './openapi.ts'
export type { AnswerOf, CallOf, Download, Operation } from './operation.ts'
export { OPERATIONS, type OperationId } from './operations.ts'
export {
  type AssertionResponse,
  PASSKEY_REASONS,
  type Passkey,
  type PasskeyReason,
  type RegistrationResponse,
  STEP_UP_REASONS,
  type StepUpReason,
} from './passkeys.ts'
export {
  CHECK_KINDS,
  POLICY_NAMES,
  Policy,
  PolicyAssertion,
  PolicyAssertionClaim,
  PolicyAssertions,
  PolicyCheck,
  type PolicyName,
  PolicyRule,
} from './policies.ts'
export {
  CREDENTIAL_FAULTS,
  CredentialError,
  type CredentialFault,
  challenge,
} from './proof/credential-fault.ts'
export { PROOF_WINDOW, type Proof, type ProofWindow, verifyProof } from './proof/dpop.ts'
export { type Admission, memoryGuard, type ReplayGuard, replayKey } from './proof/replay-guard.ts'
export {
  DEFAULT_GRAPH_PAGE,
  EXPORT_FORMATS,
  type ExportFormat,
  GraphEdge,
  GraphNode,
  getProvenance,
  WorkflowSummary,
  WorkflowView,
} from './provenance.ts'
export { ActionRecord, Denial } from './records.ts'
export { allowsAction, allowsResource, covers, widening } from './scope.ts'
export {
  DEFAULT_PAGE,
  MAX_PAGE,
  RATINGS,
  type Rating,
  REASONS,
  type Reason,
  type RecordState,
  STATES,
} from './shapes.ts'
export { REVOCATIONS_TYP, STATUS, STATUS_LIST_TYP, type StandingEntry } from './standing.ts'
export { signStatement } from './statements.ts'
export { tokenRef } from './token-ref.ts'
export { type Actor, Claims, Scope, TOKEN_STATUSES, type TokenStatus } from './tokens.ts'
export { LogEntry, RECEIPT_TYP, Receipt } from './transparency.ts'
export {
  TOKEN_EXCHANGE,
  TOKEN_TYPE_ACCESS,
  TOKEN_TYPE_JWT,
  VERIFICATION_REASONS,
  type VerificationReason,
} from './verification.ts'
