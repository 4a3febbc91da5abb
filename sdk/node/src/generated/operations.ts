// Written by build/write-operations.ts from the table of operations. Do not edit: run `npm run generate`.
import type { Call, Download, OptionalCall, OptionalPagedCall, PagedCall } from '../call-types.ts'

/** Every operation as data: what `deputy()` makes its methods from. */
export const OPERATIONS = {
  issueL1: { method: 'POST', path: '/v1/vat/issue/l1', body: 'json', answer: 'json' },
  issueL2: { method: 'POST', path: '/v1/vat/issue/l2', body: 'json', answer: 'json' },
  delegate: { method: 'POST', path: '/v1/vat/delegate', body: 'json', answer: 'json' },
  previewDelegation: { method: 'POST', path: '/v1/vat/delegate/preview', body: 'json', answer: 'json' },
  renewToken: { method: 'POST', path: '/v1/vat/renew', body: 'json', answer: 'json' },
  listTokens: {
    method: 'GET',
    path: '/v1/vat/tokens',
    query: ['agent_id', 'assurance_level', 'human_ref', 'provenance_ref', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getToken: { method: 'GET', path: '/v1/vat/tokens/{jti}', params: ['jti'], answer: 'json' },
  getTokenChain: { method: 'GET', path: '/v1/vat/tokens/{jti}/chain', params: ['jti'], answer: 'json' },
  listDescendants: {
    method: 'GET',
    path: '/v1/vat/tokens/{jti}/descendants',
    params: ['jti'],
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getTokenBudget: { method: 'GET', path: '/v1/vat/tokens/{jti}/budget', params: ['jti'], answer: 'json' },
  getTokenUsage: { method: 'GET', path: '/v1/vat/tokens/{jti}/usage', params: ['jti'], answer: 'json' },
  revokeToken: { method: 'POST', path: '/v1/vat/revoke', body: 'json', answer: 'json' },
  previewRevocation: { method: 'POST', path: '/v1/vat/revoke/preview', body: 'json', answer: 'json' },
  suspendToken: { method: 'POST', path: '/v1/vat/tokens/{jti}/suspend', params: ['jti'], answer: 'json' },
  resumeToken: { method: 'POST', path: '/v1/vat/tokens/{jti}/resume', params: ['jti'], answer: 'json' },
  verifyToken: { method: 'POST', path: '/v1/vat/verify', body: 'json', answer: 'json' },
  introspectToken: { method: 'POST', path: '/v1/vat/introspect', body: 'form', answer: 'json' },
  exchangeToken: { method: 'POST', path: '/oauth/token', body: 'form', answer: 'json' },
  listRevocations: { method: 'GET', path: '/v1/vat/revocations', query: ['since'], answer: 'json' },
  getStatusList: { method: 'GET', path: '/v1/vat/status-list', answer: 'text' },
  recordAction: { method: 'POST', path: '/v1/vat/record/action', body: 'json', answer: 'json' },
  recordBatch: { method: 'POST', path: '/v1/vat/record/batch', body: 'json', answer: 'json' },
  authorize: { method: 'POST', path: '/v1/vat/authorize', body: 'json', answer: 'json' },
  authorizeBatch: { method: 'POST', path: '/v1/vat/authorize/batch', body: 'json', answer: 'json' },
  completeRecord: {
    method: 'POST',
    path: '/v1/vat/aar/{id}/complete',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  cancelRecord: { method: 'POST', path: '/v1/vat/aar/{id}/cancel', params: ['id'], answer: 'json' },
  getRecord: { method: 'GET', path: '/v1/vat/aar/{id}', params: ['id'], answer: 'json' },
  listRecords: {
    method: 'GET',
    path: '/v1/vat/aar',
    query: [
      'agent_id',
      'action',
      'resource',
      'result',
      'rating',
      'state',
      'evidence',
      'assurance_level',
      'human_ref',
      'provenance_ref',
      'from',
      'to',
      'limit',
      'cursor',
    ],
    answer: 'json',
    pages: 'cursor',
  },
  getDenial: { method: 'GET', path: '/v1/vat/denials/{id}', params: ['id'], answer: 'json' },
  listDenials: {
    method: 'GET',
    path: '/v1/vat/denials',
    query: ['agent_id', 'assurance_level', 'human_ref', 'provenance_ref', 'from', 'to', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  rateRecord: {
    method: 'POST',
    path: '/v1/vat/aar/{id}/feedback',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  listApprovals: {
    method: 'GET',
    path: '/v1/vat/approvals',
    query: [
      'state',
      'agent_id',
      'assurance_level',
      'human_ref',
      'provenance_ref',
      'from',
      'to',
      'limit',
      'cursor',
    ],
    answer: 'json',
    pages: 'cursor',
  },
  getApproval: {
    method: 'GET',
    path: '/v1/vat/approvals/{id}',
    params: ['id'],
    query: ['wait'],
    answer: 'json',
  },
  approve: {
    method: 'POST',
    path: '/v1/vat/approvals/{id}/approve',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  deny: { method: 'POST', path: '/v1/vat/approvals/{id}/deny', params: ['id'], body: 'json', answer: 'json' },
  decideApprovals: { method: 'POST', path: '/v1/vat/approvals/batch', body: 'json', answer: 'json' },
  listHabits: {
    method: 'GET',
    path: '/v1/vat/approvals/habits',
    query: ['agent_id', 'human_ref'],
    answer: 'json',
  },
  endHabit: { method: 'POST', path: '/v1/vat/approvals/habits/end', body: 'json', answer: 'json' },
  revokeAgent: { method: 'POST', path: '/v1/vat/revoke/agent', body: 'json', answer: 'json' },
  registerAgent: { method: 'POST', path: '/v1/vat/agents', body: 'json', answer: 'json' },
  listAgents: {
    method: 'GET',
    path: '/v1/vat/agents',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getAgent: { method: 'GET', path: '/v1/vat/agents/{agent_id}', params: ['agent_id'], answer: 'json' },
  updateAgent: {
    method: 'PATCH',
    path: '/v1/vat/agents/{agent_id}',
    params: ['agent_id'],
    body: 'json',
    answer: 'json',
  },
  suspendAgent: {
    method: 'POST',
    path: '/v1/vat/agents/{agent_id}/suspend',
    params: ['agent_id'],
    answer: 'json',
  },
  resumeAgent: {
    method: 'POST',
    path: '/v1/vat/agents/{agent_id}/resume',
    params: ['agent_id'],
    answer: 'json',
  },
  getReputation: {
    method: 'GET',
    path: '/v1/vat/reputation/{agent_id}',
    params: ['agent_id'],
    answer: 'json',
  },
  getReputationHistory: {
    method: 'GET',
    path: '/v1/vat/reputation/{agent_id}/history',
    params: ['agent_id'],
    query: ['bucket'],
    answer: 'json',
  },
  rankAgents: { method: 'GET', path: '/v1/vat/reputation', query: ['sort', 'limit'], answer: 'json' },
  listWorkflows: {
    method: 'GET',
    path: '/v1/vat/workflows',
    query: ['human_ref', 'agent_id', 'from', 'to', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getProvenance: { method: 'GET', path: '/v1/vat/aar/provenance/{ref}', params: ['ref'], answer: 'json' },
  listWorkflowRecords: {
    method: 'GET',
    path: '/v1/vat/aar/provenance/{ref}/records',
    params: ['ref'],
    query: [
      'order',
      'agent_id',
      'action',
      'resource',
      'result',
      'rating',
      'state',
      'evidence',
      'from',
      'to',
      'limit',
      'cursor',
    ],
    answer: 'json',
    pages: 'cursor',
  },
  getWorkflowGraph: {
    method: 'GET',
    path: '/v1/vat/aar/provenance/{ref}/graph',
    params: ['ref'],
    query: ['limit', 'cursor'],
    answer: 'json',
  },
  exportWorkflow: {
    method: 'GET',
    path: '/v1/vat/aar/provenance/{ref}/export',
    params: ['ref'],
    query: ['format'],
    answer: 'download',
  },
  getLineage: { method: 'GET', path: '/v1/vat/aar/{id}/lineage', params: ['id'], answer: 'json' },
  getReceipt: { method: 'GET', path: '/v1/vat/aar/{id}/receipt', params: ['id'], answer: 'json' },
  getCheckpoint: { method: 'GET', path: '/checkpoint', answer: 'text' },
  getTile: {
    method: 'GET',
    path: '/tile/{level}/{index}',
    params: ['level', 'index'],
    rest: 'index',
    answer: 'bytes',
  },
  getEntries: {
    method: 'GET',
    path: '/tile/entries/{index}',
    params: ['index'],
    rest: 'index',
    answer: 'bytes',
  },
  listLogEntries: {
    method: 'GET',
    path: '/v1/vat/log/entries',
    query: ['start', 'limit'],
    answer: 'json',
    pages: 'start',
  },
  getLogEntry: { method: 'GET', path: '/v1/vat/log/entries/{index}', params: ['index'], answer: 'json' },
  getInclusionProof: {
    method: 'GET',
    path: '/v1/vat/log/proof/inclusion',
    query: ['index', 'size'],
    answer: 'json',
  },
  getConsistencyProof: {
    method: 'GET',
    path: '/v1/vat/log/proof/consistency',
    query: ['from', 'to'],
    answer: 'json',
  },
  listCheckpoints: {
    method: 'GET',
    path: '/v1/vat/log/checkpoints',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  revokeHuman: { method: 'POST', path: '/v1/vat/revoke/human', body: 'json', answer: 'json' },
  getHuman: { method: 'GET', path: '/v1/vat/humans/{human_ref}', params: ['human_ref'], answer: 'json' },
  exportHuman: {
    method: 'GET',
    path: '/v1/vat/humans/{human_ref}/export',
    params: ['human_ref'],
    answer: 'download',
  },
  eraseHuman: { method: 'DELETE', path: '/v1/vat/humans/{human_ref}', params: ['human_ref'], answer: 'json' },
  getMe: { method: 'GET', path: '/v1/vat/auth/me', answer: 'json' },
  logOut: { method: 'POST', path: '/v1/vat/auth/logout', body: 'json', answer: 'json' },
  startLogin: { method: 'POST', path: '/v1/vat/auth/oidc/start', body: 'json', answer: 'json' },
  getLogin: { method: 'GET', path: '/v1/vat/auth/oidc/logins/{id}', params: ['id'], answer: 'json' },
  listProviders: { method: 'GET', path: '/v1/vat/auth/providers', answer: 'json' },
  beginPasskey: { method: 'POST', path: '/v1/vat/auth/passkeys/register/options', answer: 'json' },
  finishPasskey: {
    method: 'POST',
    path: '/v1/vat/auth/passkeys/register/verify',
    body: 'json',
    answer: 'json',
  },
  beginPasskeyLogin: { method: 'POST', path: '/v1/vat/auth/passkeys/login/options', answer: 'json' },
  finishPasskeyLogin: {
    method: 'POST',
    path: '/v1/vat/auth/passkeys/login/verify',
    body: 'json',
    answer: 'json',
  },
  listPasskeys: {
    method: 'GET',
    path: '/v1/vat/auth/passkeys',
    query: ['human_ref', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  deletePasskey: { method: 'DELETE', path: '/v1/vat/auth/passkeys/{id}', params: ['id'], answer: 'json' },
  beginStepUp: { method: 'POST', path: '/v1/vat/auth/step-up/options', body: 'json', answer: 'json' },
  finishStepUp: { method: 'POST', path: '/v1/vat/auth/step-up/verify', body: 'json', answer: 'json' },
  listPolicies: { method: 'GET', path: '/v1/vat/policies', answer: 'json' },
  getPolicy: { method: 'GET', path: '/v1/vat/policies/{name}', params: ['name'], answer: 'json' },
  evaluatePolicies: { method: 'POST', path: '/v1/vat/policies/evaluate', body: 'json', answer: 'json' },
  createTenant: { method: 'POST', path: '/v1/vat/tenants', body: 'json', answer: 'json' },
  listTenants: {
    method: 'GET',
    path: '/v1/vat/tenants',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getTenant: { method: 'GET', path: '/v1/vat/tenants/{tenant_id}', params: ['tenant_id'], answer: 'json' },
  updateTenant: {
    method: 'PATCH',
    path: '/v1/vat/tenants/{tenant_id}',
    params: ['tenant_id'],
    body: 'json',
    answer: 'json',
  },
  createKey: { method: 'POST', path: '/v1/vat/keys', body: 'json', answer: 'json' },
  listKeys: {
    method: 'GET',
    path: '/v1/vat/keys',
    query: ['tenant_id', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  deleteKey: { method: 'DELETE', path: '/v1/vat/keys/{key_id}', params: ['key_id'], answer: 'json' },
  rotateKey: {
    method: 'POST',
    path: '/v1/vat/keys/{key_id}/rotate',
    params: ['key_id'],
    body: 'json',
    answer: 'json',
  },
  setUp: { method: 'POST', path: '/v1/vat/setup', body: 'json', answer: 'json' },
  rotateSigningKey: { method: 'POST', path: '/v1/vat/signing-keys/rotate', answer: 'json' },
  listSigningKeys: { method: 'GET', path: '/v1/vat/signing-keys', answer: 'json' },
  getKeySet: { method: 'GET', path: '/.well-known/jwks.json', answer: 'json' },
  getAuthorizationServer: { method: 'GET', path: '/.well-known/oauth-authorization-server', answer: 'json' },
  getDeployment: { method: 'GET', path: '/.well-known/deputy.json', answer: 'json' },
  getHealth: { method: 'GET', path: '/healthz', answer: 'json' },
  getReadiness: { method: 'GET', path: '/readyz', answer: 'json' },
} as const

export type OperationId = keyof typeof OPERATIONS

/** Every code that the service refuses with. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'credential_required'
  | 'credential_invalid'
  | 'role_not_allowed'
  | 'not_yours'
  | 'step_up_required'
  | 'passkey_refused'
  | 'host_not_allowed'
  | 'peer_not_local'
  | 'forwarded_request'
  | 'cross_site_request'
  | 'not_allowed'
  | 'scope_widening'
  | 'delegation_not_allowed'
  | 'token_not_live'
  | 'policy_unmet'
  | 'sign_on_failed'
  | 'not_found'
  | 'token_unknown'
  | 'record_unknown'
  | 'parent_record_unknown'
  | 'denial_unknown'
  | 'agent_unknown'
  | 'human_unknown'
  | 'workflow_unknown'
  | 'approval_unknown'
  | 'login_unknown'
  | 'provider_unknown'
  | 'log_entry_unknown'
  | 'policy_unknown'
  | 'tenant_unknown'
  | 'key_unknown'
  | 'passkey_unknown'
  | 'method_not_allowed'
  | 'rating_immutable'
  | 'login_not_usable'
  | 'approval_decided'
  | 'tenant_exists'
  | 'registry_conflict'
  | 'already_set_up'
  | 'record_closed'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'idempotency_mismatch'
  | 'rate_limited'
  | 'internal'
  | 'overloaded'
  | 'storage_unavailable'
  | 'provider_unavailable'
  | 'checkpoint_pending'
  | 'shutting_down'

/** Why a token is not to be believed. */
export type VerificationReason =
  | 'malformed'
  | 'unsupported_algorithm'
  | 'unknown_key'
  | 'withdrawn_key'
  | 'bad_signature'
  | 'wrong_type'
  | 'wrong_issuer'
  | 'wrong_audience'
  | 'not_yet_valid'
  | 'expired'
  | 'lifetime_too_long'
  | 'bad_claim'
  | 'not_issued'
  | 'token_revoked'
  | 'token_suspended'
  | 'agent_suspended'
  | 'token_expired'
  | 'token_not_yet_valid'

/** Every operation of the service, by its name. */
export interface Methods {
  /**
   * Issue a root token (L1). Instant, without biometrics: for development, testing and low-risk automation. Starts a new workflow.
   *
   * `POST /v1/vat/issue/l1`
   */
  issueL1: Call<IssueL1Input, IssuedToken>
  /**
   * Issue a root token (L2). For a person who has signed on with a provider of the organisation. The proof is an `id_token`, or the `login_id` of a finished sign-on; people who call with a session of their own that came from sign-on need neither. Each proof is good for one token. Where the groups of the provider are configured, the scope must lie within those of the person.
   *
   * `POST /v1/vat/issue/l2`
   */
  issueL2: Call<IssueL2Input, IssuedToken>
  /**
   * Delegate to a sub-agent. The parent must be in force and hold the action `delegate`. Lists that are left out are inherited (without `delegate`), constraints of the parent stay binding, and whatever would widen is refused by name.
   *
   * `POST /v1/vat/delegate`
   */
  delegate: Call<DelegateInput, DelegatedToken>
  /**
   * Preview a delegation. What the child would hold, and what would be refused. Nothing is kept.
   *
   * `POST /v1/vat/delegate/preview`
   */
  previewDelegation: Call<PreviewDelegationInput, PreviewDelegationAnswer>
  /**
   * Renew a token. A fresh token of the same scope and workflow, within the limits of its level and of its parent. It shares budgets and counts with the one it renews, and falls with it.
   *
   * `POST /v1/vat/renew`
   */
  renewToken: Call<RenewTokenInput, RenewTokenAnswer>
  /**
   * Query tokens. Newest first.
   *
   * `GET /v1/vat/tokens`
   */
  listTokens: OptionalPagedCall<ListTokensInput, ListTokensAnswer, TokenView>
  /**
   * Read a token. What it allows, whether it is live, and what it has used.
   *
   * `GET /v1/vat/tokens/{jti}`
   */
  getToken: Call<GetTokenInput, TokenView>
  /**
   * The chain above a token. The token, then each ancestor up to the root.
   *
   * `GET /v1/vat/tokens/{jti}/chain`
   */
  getTokenChain: Call<GetTokenChainInput, GetTokenChainAnswer>
  /**
   * Everything below a token. In the order of the tree: each token is followed by what was delegated from it.
   *
   * `GET /v1/vat/tokens/{jti}/descendants`
   */
  listDescendants: PagedCall<ListDescendantsInput, ListDescendantsAnswer, TokenView>
  /**
   * What a token may still spend. Its own account and the tightest one above it. A token without a budget anywhere above has no limit.
   *
   * `GET /v1/vat/tokens/{jti}/budget`
   */
  getTokenBudget: Call<GetTokenBudgetInput, GetTokenBudgetAnswer>
  /**
   * What a token uses of what it was granted. By itself and by everything below it, with a narrower scope that would have been enough.
   *
   * `GET /v1/vat/tokens/{jti}/usage`
   */
  getTokenUsage: Call<GetTokenUsageInput, GetTokenUsageAnswer>
  /**
   * Revoke a token. Silences the token and everything below it, before the answer leaves. Revoking again is no error and changes nothing. Pending records may still be completed, so that no evidence is lost.
   *
   * `POST /v1/vat/revoke`
   */
  revokeToken: Call<RevokeTokenInput, RevokeTokenAnswer>
  /**
   * Preview a revocation. What one revoke would silence. Nothing changes.
   *
   * `POST /v1/vat/revoke/preview`
   */
  previewRevocation: Call<PreviewRevocationInput, PreviewRevocationAnswer>
  /**
   * Suspend a token. A freeze of the token and everything below it that can be lifted. Suspending again changes nothing.
   *
   * `POST /v1/vat/tokens/{jti}/suspend`
   */
  suspendToken: Call<SuspendTokenInput, SuspendTokenAnswer>
  /**
   * Resume a suspended token.
   *
   * `POST /v1/vat/tokens/{jti}/resume`
   */
  resumeToken: Call<ResumeTokenInput, ResumeTokenAnswer>
  /**
   * Verify a token. Tests the signature, the times, that this service really issued the token, and that every ancestor is in force. A no is an answer, not an error.
   *
   * `POST /v1/vat/verify`
   */
  verifyToken: Call<VerifyTokenInput, VerifyTokenAnswer>
  /**
   * Introspect a token (RFC 7662). The claims of a token that is valid in every respect; `{"active": false}` for anything else, without a reason.
   *
   * `POST /v1/vat/introspect`
   */
  introspectToken: Call<IntrospectTokenInput, IntrospectTokenAnswer>
  /**
   * Exchange a token for a narrower one (RFC 8693). The standard face of delegation: the subject token is the parent. Refusals are OAuth errors (`error`, `error_description`) with status 400.
   *
   * `POST /oauth/token`
   */
  exchangeToken: Call<ExchangeTokenInput, ExchangeTokenAnswer>
  /**
   * What was revoked since. A signed delta for offline verifiers: a compact JWS of type `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Ask again with `since` set to `until`. Tokens are named by the SHA-256 of their jti.
   *
   * `GET /v1/vat/revocations`
   */
  listRevocations: OptionalCall<ListRevocationsInput, ListRevocationsAnswer>
  /**
   * Token Status List. For verifiers that know nothing of this service but the standard: two bits for each token, 1 when it is revoked, 2 when it is suspended, itself or by an ancestor. The claim `status.status_list.idx` is the place of a token. Places of expired tokens mean nothing.
   *
   * `GET /v1/vat/status-list`
   */
  getStatusList: OptionalCall<GetStatusListInput, string>
  /**
   * Record an action. Authorizes, records and completes one action in a single call.
   *
   * `POST /v1/vat/record/action`
   */
  recordAction: Call<RecordActionInput, RecordActionResponse>
  /**
   * Record many actions. Up to 1,000 at a time. Each item has its own answer; all become durable together.
   *
   * `POST /v1/vat/record/batch`
   */
  recordBatch: Call<RecordBatchInput, RecordBatchAnswer>
  /**
   * Authorize an action. Ask before acting: is this within the token? A yes opens a pending record. A no is an answer, not an error: HTTP 200 with authorized false, the reasons, and a denial kept as evidence.
   *
   * `POST /v1/vat/authorize`
   */
  authorize: Call<AuthorizeInput, AuthorizeResponse>
  /**
   * Authorize many actions. Up to 1,000 at a time. Each item has its own answer; all become durable together.
   *
   * `POST /v1/vat/authorize/batch`
   */
  authorizeBatch: Call<AuthorizeBatchInput, AuthorizeBatchAnswer>
  /**
   * Complete a pending record. Closes the record with its outcome and settles what was really spent (the estimate, when spend_usd is absent). The same completion again answers the stored record; a different one is refused. Allowed after revocation, and then marked.
   *
   * `POST /v1/vat/aar/{id}/complete`
   */
  completeRecord: Call<CompleteRecordInput, ActionRecord>
  /**
   * Cancel a pending record. Gives the action up and releases what it reserved.
   *
   * `POST /v1/vat/aar/{id}/cancel`
   */
  cancelRecord: Call<CancelRecordInput, ActionRecord>
  /**
   * Read an action record.
   *
   * `GET /v1/vat/aar/{id}`
   */
  getRecord: Call<GetRecordInput, ActionRecord>
  /**
   * Query action records. By agent, action, resource, outcome, rating, state, evidence, workflow, human and time; newest first. A page may hold fewer entries than asked for: go on while has_more is true.
   *
   * `GET /v1/vat/aar`
   */
  listRecords: OptionalPagedCall<ListRecordsInput, ListRecordsAnswer, ActionRecord>
  /**
   * Read a denial.
   *
   * `GET /v1/vat/denials/{id}`
   */
  getDenial: Call<GetDenialInput, Denial>
  /**
   * Query denials. What the rules refused, newest first.
   *
   * `GET /v1/vat/denials`
   */
  listDenials: OptionalPagedCall<ListDenialsInput, ListDenialsAnswer, Denial>
  /**
   * Rate an action. A human says what they think of an action, once and for ever. A second attempt answers 409 with the stored rating.
   *
   * `POST /v1/vat/aar/{id}/feedback`
   */
  rateRecord: Call<RateRecordInput, RateRecordAnswer>
  /**
   * Query approvals. What people were asked, newest first.
   *
   * `GET /v1/vat/approvals`
   */
  listApprovals: OptionalPagedCall<ListApprovalsInput, ListApprovalsAnswer, Approval>
  /**
   * Read an approval, or wait for its decision.
   *
   * `GET /v1/vat/approvals/{id}`
   */
  getApproval: Call<GetApprovalInput, Approval>
  /**
   * Approve. Good for exactly what was asked, once. The agent asks again with `approval_id`.
   *
   * `POST /v1/vat/approvals/{id}/approve`
   */
  approve: Call<ApproveInput, Approval>
  /**
   * Deny.
   *
   * `POST /v1/vat/approvals/{id}/deny`
   */
  deny: Call<DenyInput, Approval>
  /**
   * Decide many approvals.
   *
   * `POST /v1/vat/approvals/batch`
   */
  decideApprovals: Call<DecideApprovalsInput, DecideApprovalsAnswer>
  /**
   * What may be approved by habit. Counts that `auto_approve_after` looks at, most used first, at most 200.
   *
   * `GET /v1/vat/approvals/habits`
   */
  listHabits: OptionalCall<ListHabitsInput, ListHabitsAnswer>
  /**
   * End a habit. The next ask of this kind goes to the human again.
   *
   * `POST /v1/vat/approvals/habits/end`
   */
  endHabit: Call<EndHabitInput, EndHabitAnswer>
  /**
   * Revoke every token of an agent. Silences what it holds and everything below that; revoked_count counts what it holds. Tokens issued later are not touched: suspend the agent to stop those too.
   *
   * `POST /v1/vat/revoke/agent`
   */
  revokeAgent: Call<RevokeAgentInput, RevokeAgentAnswer>
  /**
   * Register an agent. An agent appears with its first token; registering says more about it. Again: the named members are set.
   *
   * `POST /v1/vat/agents`
   */
  registerAgent: Call<RegisterAgentInput, RegisterAgentAnswer>
  /**
   * Query agents. Newest first.
   *
   * `GET /v1/vat/agents`
   */
  listAgents: OptionalPagedCall<
    ListAgentsInput,
    ListAgentsAnswer,
    {
      /** Agent name as stored, with the agent: prefix. */
      agent_id: string
      display_name?: string
      owner?: string
      model?: string
      url?: string
      suspended: boolean
      /** ISO 8601 UTC with milliseconds. */
      suspended_at?: string
      total_actions: number
      combined_reputation: number
      has_human_feedback: boolean
      /** ISO 8601 UTC with milliseconds. */
      first_seen_at: string
      /** ISO 8601 UTC with milliseconds. */
      last_action_at?: string
    }
  >
  /**
   * Read an agent.
   *
   * `GET /v1/vat/agents/{agent_id}`
   */
  getAgent: Call<GetAgentInput, GetAgentAnswer>
  /**
   * Change what is known about an agent. The named members are set, null takes one away, the others stay.
   *
   * `PATCH /v1/vat/agents/{agent_id}`
   */
  updateAgent: Call<UpdateAgentInput, UpdateAgentAnswer>
  /**
   * Suspend an agent. Everything it holds, and everything it passed on, is frozen until it is resumed. It gets no new tokens meanwhile.
   *
   * `POST /v1/vat/agents/{agent_id}/suspend`
   */
  suspendAgent: Call<SuspendAgentInput, SuspendAgentAnswer>
  /**
   * Resume a suspended agent.
   *
   * `POST /v1/vat/agents/{agent_id}/resume`
   */
  resumeAgent: Call<ResumeAgentInput, ResumeAgentAnswer>
  /**
   * Reputation of an agent. From recorded outcomes (60 %) and human ratings (40 %).
   *
   * `GET /v1/vat/reputation/{agent_id}`
   */
  getReputation: Call<GetReputationInput, Reputation>
  /**
   * Reputation of an agent over time. One entry for each day on which something happened, oldest first, at most 366. Scores are those of that day alone.
   *
   * `GET /v1/vat/reputation/{agent_id}/history`
   */
  getReputationHistory: Call<GetReputationHistoryInput, GetReputationHistoryAnswer>
  /**
   * Rank agents by reputation. The best 200 at most. lower_bound ranks by what the evidence supports, so that one good action does not win.
   *
   * `GET /v1/vat/reputation`
   */
  rankAgents: OptionalCall<RankAgentsInput, RankAgentsAnswer>
  /**
   * Query workflows. Newest first, by human, by any agent that holds a token, and by the time of the root token. A page may hold fewer entries than asked for: go on while has_more is true.
   *
   * `GET /v1/vat/workflows`
   */
  listWorkflows: OptionalPagedCall<ListWorkflowsInput, ListWorkflowsAnswer, WorkflowView>
  /**
   * Summary of a workflow. Every action by every agent under one provenance_ref, in numbers.
   *
   * `GET /v1/vat/aar/provenance/{ref}`
   */
  getProvenance: Call<GetProvenanceInput, WorkflowSummary>
  /**
   * The actions of a workflow. Newest or oldest first. A page may hold fewer entries than asked for: go on while has_more is true.
   *
   * `GET /v1/vat/aar/provenance/{ref}/records`
   */
  listWorkflowRecords: PagedCall<ListWorkflowRecordsInput, ListWorkflowRecordsAnswer, ActionRecord>
  /**
   * The execution graph of a workflow. Who gave which authority to whom, and what was done with it. A page holds up to `limit` actions, oldest first, with every token, agent and human above them. When the actions end, tokens with which nothing was done follow, up to `limit` to a page. An action of an earlier page is named by the edges of what it caused, and not shown again; tokens, agents and the human are shown on each page that needs them.
   *
   * `GET /v1/vat/aar/provenance/{ref}/graph`
   */
  getWorkflowGraph: Call<GetWorkflowGraphInput, GetWorkflowGraphAnswer>
  /**
   * Download a workflow. All of it as of one moment, however large. ndjson: one record a line. csv: RFC 4180 with a header line; a text cell that a spreadsheet might run, or that begins with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON. proof-pack: the entries of the log that tell of the workflow, each with its proof, the records, and the signed checkpoint; `deputy verify` and the page /verify check it without this service. No export holds a token id: `token` and `root_token` are sha256: and the SHA-256 of the id.
   *
   * `GET /v1/vat/aar/provenance/{ref}/export`
   */
  exportWorkflow: Call<ExportWorkflowInput, Download>
  /**
   * Why an action happened and what it led to. Its causes up to the first, at most 1,000; its direct effects, at most 200; and the chain of tokens from the actor up to the human.
   *
   * `GET /v1/vat/aar/{id}/lineage`
   */
  getLineage: Call<GetLineageInput, GetLineageAnswer>
  /**
   * A receipt for one action. The entries of the log that tell of this action, each with a proof that it is in the log, and the signed checkpoint that the proofs lead to. Whoever keeps it can prove later that the action was recorded, completed and rated as it says. Waits up to a second for a checkpoint that covers the newest entry.
   *
   * `GET /v1/vat/aar/{id}/receipt`
   */
  getReceipt: Call<GetReceiptInput, Receipt>
  /**
   * The newest checkpoint. Size and root of the log as a signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses. Keep it: a later one must extend it.
   *
   * `GET /checkpoint`
   */
  getCheckpoint: OptionalCall<GetCheckpointInput, string>
  /**
   * A tile of hashes of the log. C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written in groups of three digits, such as `x001/x234/067`. A tile never changes.
   *
   * `GET /tile/{level}/{index}`
   */
  getTile: Call<GetTileInput, Uint8Array>
  /**
   * A tile of entries of the log. C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after its length in two bytes. In keyed mode entries are for those who look after the whole deployment; hashes and proofs are for everybody.
   *
   * `GET /tile/entries/{index}`
   */
  getEntries: Call<GetEntriesInput, Uint8Array>
  /**
   * Entries of the log in order.
   *
   * `GET /v1/vat/log/entries`
   */
  listLogEntries: OptionalPagedCall<ListLogEntriesInput, ListLogEntriesAnswer, LogEntry>
  /**
   * One entry of the log.
   *
   * `GET /v1/vat/log/entries/{index}`
   */
  getLogEntry: Call<GetLogEntryInput, LogEntry>
  /**
   * Prove that an entry is in the log.
   *
   * `GET /v1/vat/log/proof/inclusion`
   */
  getInclusionProof: Call<GetInclusionProofInput, GetInclusionProofAnswer>
  /**
   * Prove that the log only grew.
   *
   * `GET /v1/vat/log/proof/consistency`
   */
  getConsistencyProof: Call<GetConsistencyProofInput, GetConsistencyProofAnswer>
  /**
   * Checkpoints that were signed.
   *
   * `GET /v1/vat/log/checkpoints`
   */
  listCheckpoints: OptionalPagedCall<
    ListCheckpointsInput,
    ListCheckpointsAnswer,
    {
      size: number
      /** SHA-256, in base64. */
      root_hash: string
      /** ISO 8601 UTC with milliseconds. */
      signed_at: string
      /** The whole signed note. */
      note: string
    }
  >
  /**
   * Revoke everything that acts for a human.
   *
   * `POST /v1/vat/revoke/human`
   */
  revokeHuman: Call<RevokeHumanInput, RevokeHumanAnswer>
  /**
   * What is known of a human. Levels and counts are those of the newest 10,000 tokens.
   *
   * `GET /v1/vat/humans/{human_ref}`
   */
  getHuman: Call<GetHumanInput, GetHumanAnswer>
  /**
   * Everything that is kept about a human. JSON Lines, for the human: a line `human`, then each `token`, `record`, `denial`, `approval`, `habit` and `passkey`, newest first, and a last line `end` with how many there were. Tokens are named by the SHA-256 of their id, because the file may travel.
   *
   * `GET /v1/vat/humans/{human_ref}/export`
   */
  exportHuman: Call<ExportHumanInput, Download>
  /**
   * Erase a human. Revokes every token of the human and destroys the key that everything personal is sealed with: notes, metadata, purposes, reasons and stored answers. It cannot be undone. The log stays as it is and still verifies. Erasing again changes nothing; repeat it after a 503.
   *
   * `DELETE /v1/vat/humans/{human_ref}`
   */
  eraseHuman: Call<EraseHumanInput, EraseHumanAnswer>
  /**
   * Who has signed in.
   *
   * `GET /v1/vat/auth/me`
   */
  getMe: OptionalCall<GetMeInput, GetMeAnswer>
  /**
   * Sign out.
   *
   * `POST /v1/vat/auth/logout`
   */
  logOut: OptionalCall<LogOutInput, LogOutAnswer>
  /**
   * Begin a sign-on. Have the person open `authorization_url` in a browser. After signing in they are shown who asked, and for what, and confirm it; then `login_id` is good for one token. What is named here as agent and scope binds: the token cannot be for another agent, or hold more.
   *
   * `POST /v1/vat/auth/oidc/start`
   */
  startLogin: OptionalCall<StartLoginInput, StartLoginAnswer>
  /**
   * How a sign-on stands. Only for the caller who began it. A sign-on is forgotten ten minutes after it was begun.
   *
   * `GET /v1/vat/auth/oidc/logins/{id}`
   */
  getLogin: Call<GetLoginInput, GetLoginAnswer>
  /**
   * Providers that people can sign on with.
   *
   * `GET /v1/vat/auth/providers`
   */
  listProviders: OptionalCall<ListProvidersInput, ListProvidersAnswer>
  /**
   * Begin to register a passkey. For a person who has signed in. The challenge is good for three minutes, once, in this session.
   *
   * `POST /v1/vat/auth/passkeys/register/options`
   */
  beginPasskey: OptionalCall<BeginPasskeyInput, BeginPasskeyAnswer>
  /**
   * Register a passkey. User verification is required. Whoever signs in with it has the assurance level of the session it was registered in, and never more.
   *
   * `POST /v1/vat/auth/passkeys/register/verify`
   */
  finishPasskey: Call<FinishPasskeyInput, Passkey>
  /**
   * Begin to sign in with a passkey. Nobody is named: the browser lets the person choose among the passkeys that it knows.
   *
   * `POST /v1/vat/auth/passkeys/login/options`
   */
  beginPasskeyLogin: OptionalCall<BeginPasskeyLoginInput, BeginPasskeyLoginAnswer>
  /**
   * Sign in with a passkey. The answer sets the cookie of a session.
   *
   * `POST /v1/vat/auth/passkeys/login/verify`
   */
  finishPasskeyLogin: Call<FinishPasskeyLoginInput, FinishPasskeyLoginAnswer>
  /**
   * List passkeys. People see their own, operators those of anybody of the tenant.
   *
   * `GET /v1/vat/auth/passkeys`
   */
  listPasskeys: OptionalPagedCall<ListPasskeysInput, ListPasskeysAnswer, Passkey>
  /**
   * Remove a passkey. Every session of its person ends, except the one that asks.
   *
   * `DELETE /v1/vat/auth/passkeys/{id}`
   */
  deletePasskey: Call<DeletePasskeyInput, DeletePasskeyAnswer>
  /**
   * Begin to confirm one call with a passkey. Name the operation with the very params, query and body of the call. The challenge is the SHA-256 of `bound_text`, which holds all of that, the session, the end and something random. Show `words` to the person before they answer. The challenge is good for three minutes, once.
   *
   * `POST /v1/vat/auth/step-up/options`
   */
  beginStepUp: Call<BeginStepUpInput, BeginStepUpAnswer>
  /**
   * Confirm one call with a passkey. Send the call with the header `Deputy-Step-Up: <grant>`. A grant is good for that very call, once, in this session, within five minutes.
   *
   * `POST /v1/vat/auth/step-up/verify`
   */
  finishStepUp: Call<FinishStepUpInput, FinishStepUpAnswer>
  /**
   * List the policies. Each maps controls of a framework to checks of a token. It is never a certification.
   *
   * `GET /v1/vat/policies`
   */
  listPolicies: OptionalCall<ListPoliciesInput, ListPoliciesAnswer>
  /**
   * Read a policy. Every rule: the control it stands for, one sentence, and the check the service makes.
   *
   * `GET /v1/vat/policies/{name}`
   */
  getPolicy: Call<GetPolicyInput, Policy>
  /**
   * Try policies on a token. Answers rule by rule what issuing with these `policy_assertions` would find, for an existing token (`vat_jti`) or for one that is only thought of (`resources`, `actions` and the rest). Stores nothing.
   *
   * `POST /v1/vat/policies/evaluate`
   */
  evaluatePolicies: Call<EvaluatePoliciesInput, EvaluatePoliciesAnswer>
  /**
   * Create a tenant. Agents, people, workflows and keys of a tenant are its own: equal names in two tenants have nothing to do with each other.
   *
   * `POST /v1/vat/tenants`
   */
  createTenant: Call<CreateTenantInput, Tenant>
  /**
   * List tenants. All of them for operators of the deployment, the own one for others.
   *
   * `GET /v1/vat/tenants`
   */
  listTenants: OptionalPagedCall<ListTenantsInput, ListTenantsAnswer, Tenant>
  /**
   * Read a tenant.
   *
   * `GET /v1/vat/tenants/{tenant_id}`
   */
  getTenant: Call<GetTenantInput, Tenant>
  /**
   * Change the settings of a tenant. Members that are not named stay as they are.
   *
   * `PATCH /v1/vat/tenants/{tenant_id}`
   */
  updateTenant: Call<UpdateTenantInput, Tenant>
  /**
   * Create an API key.
   *
   * `POST /v1/vat/keys`
   */
  createKey: Call<CreateKeyInput, CreateKeyAnswer>
  /**
   * List API keys. Those of the own tenant, newest first, without their secrets.
   *
   * `GET /v1/vat/keys`
   */
  listKeys: OptionalPagedCall<ListKeysInput, ListKeysAnswer, ApiKey>
  /**
   * Delete an API key. It is refused from then on: at once on this node, within two seconds on others.
   *
   * `DELETE /v1/vat/keys/{key_id}`
   */
  deleteKey: Call<DeleteKeyInput, DeleteKeyAnswer>
  /**
   * Replace an API key. Makes a key with the same name, role and tenant. The old one goes on for `overlap_s` seconds.
   *
   * `POST /v1/vat/keys/{key_id}/rotate`
   */
  rotateKey: Call<RotateKeyInput, RotateKeyAnswer>
  /**
   * Make the first operator key. In keyed mode a new deployment prints a set-up secret when it starts. It is good for this one call, and then never again.
   *
   * `POST /v1/vat/setup`
   */
  setUp: Call<SetUpInput, SetUpAnswer>
  /**
   * Rotate the signing key. New tokens are signed with a new key. The old one stays published until the last token it may have signed has ended; its private part is destroyed.
   *
   * `POST /v1/vat/signing-keys/rotate`
   */
  rotateSigningKey: OptionalCall<RotateSigningKeyInput, RotateSigningKeyAnswer>
  /**
   * Signing keys. The active key first, then retired ones whose tokens may still be valid.
   *
   * `GET /v1/vat/signing-keys`
   */
  listSigningKeys: OptionalCall<ListSigningKeysInput, ListSigningKeysAnswer>
  /**
   * Public keys (JWK Set). The keys that verify tokens, with the retired ones whose tokens may still be valid.
   *
   * `GET /.well-known/jwks.json`
   */
  getKeySet: OptionalCall<GetKeySetInput, KeySet>
  /**
   * OAuth metadata (RFC 8414).
   *
   * `GET /.well-known/oauth-authorization-server`
   */
  getAuthorizationServer: OptionalCall<GetAuthorizationServerInput, GetAuthorizationServerAnswer>
  /**
   * This deployment. Issuer, access mode, where the API is described, and the name and key of the log. Pin the key: it never changes.
   *
   * `GET /.well-known/deputy.json`
   */
  getDeployment: OptionalCall<GetDeploymentInput, GetDeploymentAnswer>
  /**
   * Alive?.
   *
   * `GET /healthz`
   */
  getHealth: OptionalCall<GetHealthInput, GetHealthAnswer>
  /**
   * Ready?. Whether the service can make changes durable right now.
   *
   * `GET /readyz`
   */
  getReadiness: OptionalCall<GetReadinessInput, GetReadinessAnswer>
}

export interface IssueL1Input {
  /** Stands for the accountable human. Kept only as a keyed hash. */
  developer_email: string
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  resources: string[]
  actions: string[]
  /** Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds; one day when absent, thirty days at most. */
  expires_in?: number | undefined
  /** The one service the token is meant for (aud). */
  audience?: string | undefined
  /** Public key of the agent (JWK), Ed25519 or P-256. The token is then bound to it by cnf.jkt. */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification. */
  policy_assertions?: ('HIPAA' | 'SOC2' | 'NIST_ZTA')[] | undefined
  /** What the authority is for, in words. */
  purpose?: string | undefined
}

export interface IssueL2Input {
  /** An ID token of a configured provider for this deployment. Good for one token. */
  id_token?: string | undefined
  /** The nonce that the ID token must carry. */
  nonce?: string | undefined
  /** Identifier of a sign-on, as start answered it. */
  login_id?: string | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  resources: string[]
  actions: string[]
  /** Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers. */
  constraints?: Constraints | undefined
  /** The one service the token is meant for (aud). */
  audience?: string | undefined
  /** Public key of the agent (JWK), Ed25519 or P-256. The token is then bound to it by cnf.jkt. */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification. */
  policy_assertions?: ('HIPAA' | 'SOC2' | 'NIST_ZTA')[] | undefined
  /** What the authority is for, in words. */
  purpose?: string | undefined
  /** Lifetime in seconds; eight hours when absent, one day at most. */
  expires_in?: number | undefined
}

export interface DelegateInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  resources?: string[] | undefined
  actions?: string[] | undefined
  /** Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds; an hour or what the parent has left when absent. */
  expires_in?: number | undefined
  audience?: string | undefined
  /** Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification. */
  policy_assertions?: ('HIPAA' | 'SOC2' | 'NIST_ZTA')[] | undefined
  /** Public key of the agent (JWK), Ed25519 or P-256. The token is then bound to it by cnf.jkt. */
  agent_jwk?: Record<string, unknown> | undefined
  purpose?: string | undefined
}

export interface PreviewDelegationInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  resources?: string[] | undefined
  actions?: string[] | undefined
  /** Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds; an hour or what the parent has left when absent. */
  expires_in?: number | undefined
  audience?: string | undefined
  /** Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification. */
  policy_assertions?: ('HIPAA' | 'SOC2' | 'NIST_ZTA')[] | undefined
  /** Public key of the agent (JWK), Ed25519 or P-256. The token is then bound to it by cnf.jkt. */
  agent_jwk?: Record<string, unknown> | undefined
  purpose?: string | undefined
}

export interface PreviewDelegationAnswer {
  allowed: boolean
  /** Entries that the parent lacks. */
  widening: string[]
  /** Why the parent is not in force. */
  reasons: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'approval_denied'
    | 'approval_required'
  )[]
  /** Rules of asserted policies that the child would not meet. */
  unmet: string[]
  /** Why the parent cannot be passed on at all. */
  obstacle?: string
  child: {
    /** Agent name as stored, with the agent: prefix. */
    agent_id: string
    resources: string[]
    actions: string[]
    constraints: Record<string, unknown>
    /** Depth of the actor in the delegation chain; 0 for a root token. */
    delegation_depth: number
    /** Base trust of the level x 0.9 per delegation. */
    trust_score: number
    expires_at: string
  }
}

export interface RenewTokenInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  expires_in: number
}

export interface RenewTokenAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** The token as a compact JWT signed with Ed25519. */
  compact_jwt: string
  claims: Claims
  /** Token identifier, as the issue call answered it. */
  renews_jti: string
  /** Token identifier, as the issue call answered it. */
  root_jti: string
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
}

export interface ListTokensInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListTokensAnswer {
  /** Newest first. */
  data: TokenView[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetTokenInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface GetTokenChainInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface GetTokenChainAnswer {
  data: TokenView[]
}

export interface ListDescendantsInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListDescendantsAnswer {
  /** Newest first. */
  data: TokenView[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetTokenBudgetInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface GetTokenBudgetAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  spent_usd: number
  reserved_usd: number
  /** US dollars, at most 6 decimals. */
  allocated_usd?: number
  /** US dollars; below zero when more was spent than allowed. */
  remaining_usd?: number
  tightest?: {
    /** Token identifier, as the issue call answered it. */
    jti: string
    /** US dollars, at most 6 decimals. */
    allocated_usd: number
    /** US dollars, at most 6 decimals. */
    spent_usd: number
    /** US dollars, at most 6 decimals. */
    reserved_usd: number
    /** US dollars; below zero when more was spent than allowed. */
    remaining_usd: number
  }
}

export interface GetTokenUsageInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface GetTokenUsageAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  granted: {
    resources: string[]
    actions: string[]
  }
  used: {
    resources: string[]
    actions: string[]
  }
  unused: {
    resources: string[]
    actions: string[]
  }
  suggested_scope: {
    resources: string[]
    actions: string[]
  }
  /** The newest records that this was drawn from, at most 50,000. */
  records_seen: number
}

export interface RevokeTokenInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Why, in words. */
  reason?: string | undefined
}

export interface RevokeTokenAnswer {
  revoked: boolean
  already_revoked: boolean
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** ISO 8601 UTC with milliseconds. */
  revoked_at: string
  /** Tokens in force that this call silenced. */
  revoked_count: number
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
}

export interface PreviewRevocationInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
}

export interface PreviewRevocationAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  already_revoked: boolean
  /** The token and its descendants that are in force. */
  live_tokens: number
  /** Agents that hold them, at most 1,000. */
  agents: string[]
  pending_records: number
  /** US dollars; below zero when more was spent than allowed. */
  reserved_usd: number
}

export interface SuspendTokenInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface SuspendTokenAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  suspended: boolean
  changed: boolean
  /** ISO 8601 UTC with milliseconds. */
  at: string
}

export interface ResumeTokenInput {
  /** Token identifier, as the issue call answered it. */
  jti: string
}

export interface ResumeTokenAnswer {
  /** Token identifier, as the issue call answered it. */
  jti: string
  suspended: boolean
  changed: boolean
  /** ISO 8601 UTC with milliseconds. */
  at: string
}

export interface VerifyTokenInput {
  /** A token as a compact JWT, as the issue call answered it. */
  compact_jwt: string
  audience?: string | undefined
}

export interface VerifyTokenAnswer {
  valid: boolean
  reason?:
    | 'malformed'
    | 'unsupported_algorithm'
    | 'unknown_key'
    | 'withdrawn_key'
    | 'bad_signature'
    | 'wrong_type'
    | 'wrong_issuer'
    | 'wrong_audience'
    | 'not_yet_valid'
    | 'expired'
    | 'lifetime_too_long'
    | 'bad_claim'
    | 'not_issued'
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
  claims?: Claims
  /** The token, then each ancestor up to the root; empty when the token proves nothing. */
  chain: {
    /** Token identifier, as the issue call answered it. */
    jti: string
    /** Agent name as stored, with the agent: prefix. */
    agent_id: string
    /** Depth of the actor in the delegation chain; 0 for a root token. */
    delegation_depth: number
    status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
    /** ISO 8601 UTC with milliseconds. */
    expires_at: string
  }[]
}

export interface IntrospectTokenInput {
  /** A token as a compact JWT, as the issue call answered it. */
  token: string
  /** Of no use here: there is one kind of token. */
  token_type_hint?: string | undefined
  /** Clients of OAuth libraries send it. It grants nothing. */
  client_id?: string | undefined
}

export interface IntrospectTokenAnswer {
  active: boolean
  /** Every action@resource pair, blanks between them. */
  scope?: string
  /** Agent name as stored, with the agent: prefix. */
  client_id?: string
  token_type?: 'N_A'
  iss?: string
  /** Agent name as stored, with the agent: prefix. */
  sub?: string
  aud?: string
  iat?: number
  nbf?: number
  exp?: number
  /** Token identifier, as the issue call answered it. */
  jti?: string
  svc_env?: string
  /** The tenant that the agent belongs to; absent for `default`. */
  svc_tenant?: string
  /** Base trust of the level x 0.9 per delegation. */
  svc_trust_score?: number
  svc_scope?: {
    resources: string[]
    actions: string[]
  }
  svc_assurance_level?: 'L1' | 'L2' | 'L3'
  /** Keyed hash that stands for the human behind the token. */
  svc_human_ref?: string
  svc_email_verified?: boolean
  /** The sign-on provider that proved the person. */
  svc_provider?: string
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  /** When the person signed in. */
  auth_time?: number
  /** Workflow identifier: one for a token and everything that descends from it. */
  svc_provenance_ref?: string
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  svc_delegation_depth?: number
  /** Token identifier, as the issue call answered it. */
  svc_root_jti?: string
  /** Token identifier, as the issue call answered it. */
  svc_parent_jti?: string
  /** SHA-256 of the compact JWT of the parent. */
  svc_parent_hash?: string
  /** Token identifier, as the issue call answered it. */
  svc_renews_jti?: string
  /** Who passed the authority on (RFC 8693): the parent agent, then its own. */
  act?: Record<string, unknown>
  svc_constraints?: Record<string, unknown>
  /** Policies whose rules the service checked when it issued the token. Never a certification. */
  svc_policy_assertions?: PolicyAssertion[]
  /** Where the status list tells of this token. */
  status?: {
    status_list: {
      idx: number
      uri: string
    }
  }
  cnf?: {
    jkt: string
  }
}

export interface ExchangeTokenInput {
  grant_type: string
  /** A token as a compact JWT, as the issue call answered it. */
  subject_token: string
  subject_token_type: string
  requested_token_type?: string | undefined
  /** Blank-separated action@resource pairs. The child holds all their actions for all their resources; when absent, what the parent holds without `delegate`. */
  scope?: string | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  audience?: string | undefined
  expires_in?: number | undefined
  /** Clients of OAuth libraries send it. It grants nothing. */
  client_id?: string | undefined
}

export interface ExchangeTokenAnswer {
  /** The new token as a compact JWT. */
  access_token: string
  issued_token_type: 'urn:ietf:params:oauth:token-type:jwt'
  /** The token is named in request bodies and never sent as a bearer credential. */
  token_type: 'N_A'
  /** Seconds. */
  expires_in: number
  /** What was granted, pair by pair. */
  scope: string
}

export interface ListRevocationsInput {
  /** Place in the log to begin at; 0 when absent. */
  since?: number | undefined
}

export interface ListRevocationsAnswer {
  jwt: string
}

export type GetStatusListInput = Record<string, never>

export interface RecordActionInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Action verb. */
  action: string
  /** One concrete resource <namespace>:<name>. */
  resource: string
  /** Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0. */
  result: string
  /** sha256: and 64 hexadecimal digits. */
  result_hash?: string | undefined
  /** US dollars, at most 6 decimals. */
  spend_usd?: number | undefined
  /** The action of the same workflow that caused this one. */
  parent_aar_id?: string | undefined
  /** A human approval of exactly this; it is used up by it. */
  approval_id?: string | undefined
  /** Facts of your own about the action, at most 4 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
}

export interface RecordBatchInput {
  items: RecordActionRequest[]
}

export interface RecordBatchAnswer {
  items: {
    status: number
    answer?: RecordActionResponse
    /** The problem, as a lone call would have answered it. */
    problem?: Record<string, unknown>
  }[]
}

export interface AuthorizeInput {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Action verb. */
  action: string
  /** One concrete resource <namespace>:<name>. */
  resource: string
  /** US dollars, at most 6 decimals. */
  spend_usd?: number | undefined
  /** The action of the same workflow that caused this one. */
  parent_aar_id?: string | undefined
  /** A human approval of exactly this; it is used up by it. */
  approval_id?: string | undefined
  /** Facts of your own about the action, at most 4 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Answer what would happen; keep nothing. */
  dry_run?: boolean | undefined
}

export interface AuthorizeBatchInput {
  items: AuthorizeRequest[]
}

export interface AuthorizeBatchAnswer {
  items: {
    status: number
    answer?: AuthorizeResponse
    /** The problem, as a lone call would have answered it. */
    problem?: Record<string, unknown>
  }[]
}

export interface CompleteRecordInput {
  /** Action record identifier. */
  id: string
  /** Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0. */
  result: string
  /** sha256: and 64 hexadecimal digits. */
  result_hash?: string | undefined
  /** US dollars, at most 6 decimals. */
  spend_usd?: number | undefined
  /** Facts of your own about the action, at most 4 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
}

export interface CancelRecordInput {
  /** Action record identifier. */
  id: string
}

export interface GetRecordInput {
  /** Action record identifier. */
  id: string
}

export interface ListRecordsInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  /** Action verb. */
  action?: string | undefined
  /** One concrete resource <namespace>:<name>. */
  resource?: string | undefined
  /** Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0. */
  result?: string | undefined
  /** What the human thought of the action. */
  rating?: 'approved' | 'flagged' | 'rejected' | undefined
  state?: 'pending' | 'completed' | 'cancelled' | 'expired' | undefined
  /** Who told how the action ended, or, while nothing of that is told, who asked: self_reported is the agent, or anybody in open mode; observed is a resource server that the token is meant for. countersigned is kept for later: nothing has it yet. */
  evidence?: 'self_reported' | 'observed' | 'countersigned' | undefined
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref?: string | undefined
  /** Only what was created at or after this instant. */
  from?: string | undefined
  /** Only what was created before this instant. */
  to?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListRecordsAnswer {
  /** Newest first. */
  data: ActionRecord[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetDenialInput {
  /** Identifier of a kept denial. */
  id: string
}

export interface ListDenialsInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref?: string | undefined
  /** Only what was created at or after this instant. */
  from?: string | undefined
  /** Only what was created before this instant. */
  to?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListDenialsAnswer {
  /** Newest first. */
  data: Denial[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface RateRecordInput {
  /** Action record identifier. */
  id: string
  /** What the human thought of the action. */
  rating: 'approved' | 'flagged' | 'rejected'
  /** Why, in words. */
  note?: string | undefined
}

export interface RateRecordAnswer {
  /** Action record identifier. */
  aar_id: string
  /** What the human thought of the action. */
  rating: 'approved' | 'flagged' | 'rejected'
  /** ISO 8601 UTC with milliseconds. */
  feedback_at: string
}

export interface ListApprovalsInput {
  state?: 'pending' | 'approved' | 'denied' | 'expired' | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref?: string | undefined
  /** Only what was created at or after this instant. */
  from?: string | undefined
  /** Only what was created before this instant. */
  to?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListApprovalsAnswer {
  /** Newest first. */
  data: Approval[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetApprovalInput {
  /** Identifier of a question to a human. */
  id: string
  /** Seconds to wait while the approval is pending. */
  wait?: number | undefined
}

export interface ApproveInput {
  /** Identifier of a question to a human. */
  id: string
  note?: string | undefined
}

export interface DenyInput {
  /** Identifier of a question to a human. */
  id: string
  note?: string | undefined
}

export interface DecideApprovalsInput {
  items: {
    /** Identifier of a question to a human. */
    approval_id: string
    decision: 'approved' | 'denied'
    note?: string
  }[]
}

export interface DecideApprovalsAnswer {
  items: {
    status: number
    answer?: Approval
    /** The problem, as a lone call would have answered it. */
    problem?: Record<string, unknown>
  }[]
}

export interface ListHabitsInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
}

export interface ListHabitsAnswer {
  data: {
    /** Agent name as stored, with the agent: prefix. */
    agent_id: string
    /** Keyed hash that stands for the human behind the token. */
    human_ref: string
    action: string
    resource: string
    /** Human approvals since the last denial. */
    approvals: number
    /** How often it stood in for the human. */
    auto_approvals: number
    /** ISO 8601 UTC with milliseconds. */
    last_human_at: string
  }[]
}

export interface EndHabitInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  /** sha256: and 64 hexadecimal digits. */
  human_ref: string
  /** Action verb. */
  action: string
  /** One concrete resource <namespace>:<name>. */
  resource: string
}

export interface EndHabitAnswer {
  ended: boolean
}

export interface RevokeAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  /** Why, in words. */
  reason?: string | undefined
}

export interface RevokeAgentAnswer {
  revoked: boolean
  /** ISO 8601 UTC with milliseconds. */
  revoked_at: string
  /** Tokens in force that this call silenced. */
  revoked_count: number
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
}

export interface RegisterAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  display_name?: string | undefined
  /** Who runs it. */
  owner?: string | undefined
  model?: string | undefined
  url?: string | undefined
}

export interface RegisterAgentAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  display_name?: string
  owner?: string
  model?: string
  url?: string
  suspended: boolean
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  total_actions: number
  combined_reputation: number
  has_human_feedback: boolean
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

export interface ListAgentsInput {
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListAgentsAnswer {
  /** Newest first. */
  data: {
    /** Agent name as stored, with the agent: prefix. */
    agent_id: string
    display_name?: string
    owner?: string
    model?: string
    url?: string
    suspended: boolean
    /** ISO 8601 UTC with milliseconds. */
    suspended_at?: string
    total_actions: number
    combined_reputation: number
    has_human_feedback: boolean
    /** ISO 8601 UTC with milliseconds. */
    first_seen_at: string
    /** ISO 8601 UTC with milliseconds. */
    last_action_at?: string
  }[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
}

export interface GetAgentAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  display_name?: string
  owner?: string
  model?: string
  url?: string
  suspended: boolean
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  total_actions: number
  combined_reputation: number
  has_human_feedback: boolean
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

export interface UpdateAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  display_name?: string | null | undefined
  owner?: string | null | undefined
  model?: string | null | undefined
  url?: string | null | undefined
}

export interface UpdateAgentAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  display_name?: string
  owner?: string
  model?: string
  url?: string
  suspended: boolean
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  total_actions: number
  combined_reputation: number
  has_human_feedback: boolean
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

export interface SuspendAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
}

export interface SuspendAgentAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  display_name?: string
  owner?: string
  model?: string
  url?: string
  suspended: boolean
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  total_actions: number
  combined_reputation: number
  has_human_feedback: boolean
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

export interface ResumeAgentInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
}

export interface ResumeAgentAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  display_name?: string
  owner?: string
  model?: string
  url?: string
  suspended: boolean
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  total_actions: number
  combined_reputation: number
  has_human_feedback: boolean
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

export interface GetReputationInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
}

export interface GetReputationHistoryInput {
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id: string
  bucket?: 'day' | undefined
}

export interface GetReputationHistoryAnswer {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  data: {
    day: string
    total_actions: number
    completed_actions: number
    execution_score: number
    feedback_score: number
    ratings: {
      approved: number
      flagged: number
      rejected: number
    }
  }[]
}

export interface RankAgentsInput {
  sort?: 'combined' | 'lower_bound' | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
}

export interface RankAgentsAnswer {
  data: Reputation[]
}

export interface ListWorkflowsInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  /** Only what was created at or after this instant. */
  from?: string | undefined
  /** Only what was created before this instant. */
  to?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListWorkflowsAnswer {
  /** Newest first. */
  data: WorkflowView[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetProvenanceInput {
  /** Workflow identifier: one for a token and everything that descends from it. */
  ref: string
}

export interface ListWorkflowRecordsInput {
  /** Workflow identifier: one for a token and everything that descends from it. */
  ref: string
  /** Which come first; newest when absent. */
  order?: 'newest' | 'oldest' | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  /** Action verb. */
  action?: string | undefined
  /** One concrete resource <namespace>:<name>. */
  resource?: string | undefined
  /** Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0. */
  result?: string | undefined
  /** What the human thought of the action. */
  rating?: 'approved' | 'flagged' | 'rejected' | undefined
  state?: 'pending' | 'completed' | 'cancelled' | 'expired' | undefined
  /** Who told how the action ended, or, while nothing of that is told, who asked: self_reported is the agent, or anybody in open mode; observed is a resource server that the token is meant for. countersigned is kept for later: nothing has it yet. */
  evidence?: 'self_reported' | 'observed' | 'countersigned' | undefined
  /** Only what was created at or after this instant. */
  from?: string | undefined
  /** Only what was created before this instant. */
  to?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListWorkflowRecordsAnswer {
  /** In the order that was asked for. */
  data: ActionRecord[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetWorkflowGraphInput {
  /** Workflow identifier: one for a token and everything that descends from it. */
  ref: string
  /** How many actions to answer; 500 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface GetWorkflowGraphAnswer {
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  nodes: (
    | {
        /** What edges name: the human_ref, agent_id, jti or aar_id. */
        id: string
        type: 'action'
        /** Action record identifier. */
        aar_id: string
        action: string
        resource: string
        state: 'pending' | 'completed' | 'cancelled' | 'expired'
        result?: string
        spend_usd: number
        /** Base trust of the level x 0.9 per delegation. */
        trust_score: number
        /** What the human thought of the action. */
        rating?: 'approved' | 'flagged' | 'rejected'
        /** ISO 8601 UTC with milliseconds. */
        created_at: string
        /** ISO 8601 UTC with milliseconds. */
        completed_at?: string
      }
    | {
        /** What edges name: the human_ref, agent_id, jti or aar_id. */
        id: string
        type: 'token'
        /** Token identifier, as the issue call answered it. */
        jti: string
        /** Agent name as stored, with the agent: prefix. */
        agent_id: string
        /** Depth of the actor in the delegation chain; 0 for a root token. */
        delegation_depth: number
        scope: {
          resources: string[]
          actions: string[]
        }
        /** ISO 8601 UTC with milliseconds. */
        issued_at: string
        /** ISO 8601 UTC with milliseconds. */
        expires_at: string
        status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
        constraints?: Record<string, unknown>
      }
    | {
        /** What edges name: the human_ref, agent_id, jti or aar_id. */
        id: string
        type: 'agent'
        /** Agent name as stored, with the agent: prefix. */
        agent_id: string
      }
    | {
        /** What edges name: the human_ref, agent_id, jti or aar_id. */
        id: string
        type: 'human'
        /** Keyed hash that stands for the human behind the token. */
        human_ref: string
        assurance_level: 'L1' | 'L2' | 'L3'
      }
  )[]
  edges: GraphEdge[]
  total_records: number
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface ExportWorkflowInput {
  /** Workflow identifier: one for a token and everything that descends from it. */
  ref: string
  format: 'ndjson' | 'csv' | 'prov-json' | 'proof-pack'
}

export interface GetLineageInput {
  /** Action record identifier. */
  id: string
}

export interface GetLineageAnswer {
  /** Action record identifier. */
  aar_id: string
  record: ActionRecord
  /** From the direct cause to the first. */
  causes: ActionRecord[]
  has_more_causes: boolean
  /** What it led to directly, oldest first. */
  effects: ActionRecord[]
  has_more_effects: boolean
  /** The token that was used, then each one above it. */
  chain: TokenView[]
}

export interface GetReceiptInput {
  id: string
}

export type GetCheckpointInput = Record<string, never>

export interface GetTileInput {
  /** 0 to 63. */
  level: string
  /** Number of the tile, and `.p/<W>` when it holds only W. */
  index: string
}

export interface GetEntriesInput {
  /** Number of the tile, and `.p/<W>` when it holds only W. */
  index: string
}

export interface ListLogEntriesInput {
  /** The first entry to answer; 0 when absent. */
  start?: number | undefined
  /** How many entries; 100 when absent. */
  limit?: number | undefined
}

export interface ListLogEntriesAnswer {
  /** Oldest first. */
  data: LogEntry[]
  /** Pass as `start` to go on. */
  next_start: number
  has_more: boolean
  /** How many entries the log has. */
  size: number
}

export interface GetLogEntryInput {
  index: number
}

export interface GetInclusionProofInput {
  index: number
  /** Size of the tree to prove it in; that of the newest checkpoint when absent. */
  size?: number | undefined
}

export interface GetInclusionProofAnswer {
  index: number
  size: number
  /** SHA-256, in base64. */
  leaf_hash: string
  /** SHA-256, in base64. */
  root_hash: string
  /** From the leaf up, as RFC 6962 orders it. */
  proof: string[]
}

export interface GetConsistencyProofInput {
  /** Size of the older tree. */
  from: number
  /** Size of the newer tree; that of the newest checkpoint when absent. */
  to?: number | undefined
}

export interface GetConsistencyProofAnswer {
  from: number
  to: number
  /** SHA-256, in base64. */
  from_root_hash: string
  /** SHA-256, in base64. */
  to_root_hash: string
  /** From the leaf up, as RFC 6962 orders it. */
  proof: string[]
}

export interface ListCheckpointsInput {
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListCheckpointsAnswer {
  /** Newest first. */
  data: {
    size: number
    /** SHA-256, in base64. */
    root_hash: string
    /** ISO 8601 UTC with milliseconds. */
    signed_at: string
    /** The whole signed note. */
    note: string
  }[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface RevokeHumanInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref: string
  /** Why, in words. */
  reason?: string | undefined
}

export interface RevokeHumanAnswer {
  revoked: boolean
  /** ISO 8601 UTC with milliseconds. */
  revoked_at: string
  /** Tokens in force that this call silenced. */
  revoked_count: number
  human_ref: string
}

export interface GetHumanInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref: string
}

export interface GetHumanAnswer {
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_levels: ('L1' | 'L2' | 'L3')[]
  tokens: number
  /** Not expired and not revoked themselves. */
  live_tokens: number
  workflows: number
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at?: string
  /** ISO 8601 UTC with milliseconds. */
  erased_at?: string
}

export interface ExportHumanInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref: string
}

export interface EraseHumanInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref: string
}

export interface EraseHumanAnswer {
  erased: boolean
  already_erased: boolean
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  /** ISO 8601 UTC with milliseconds. */
  erased_at: string
  /** Tokens in force that this call silenced. */
  revoked_count: number
}

export type GetMeInput = Record<string, never>

export interface GetMeAnswer {
  tenant_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** How the person signed in (RFC 8176). */
  amr: string[]
  /** To be sent in the header Deputy-CSRF with every change that is made in this session. */
  csrf_token: string
  /** Every ref that stands for the person. */
  human_refs: string[]
  /** ISO 8601 UTC with milliseconds. */
  auth_time: string
  /** How many passkeys of theirs are accepted. */
  passkeys: number
}

export interface LogOutInput {
  /** End every other session of this person as well. */
  everywhere?: boolean | undefined
}

export interface LogOutAnswer {
  signed_out: boolean
}

export interface StartLoginInput {
  /** Name of a sign-on provider, as listed. */
  provider?: string | undefined
  /** A path of this service where the browser goes afterwards. */
  return_to?: string | undefined
  /** Agent name chosen by the caller, without the agent: prefix. */
  agent_id?: string | undefined
  resources?: string[] | undefined
  actions?: string[] | undefined
}

export interface StartLoginAnswer {
  /** Identifier of a sign-on, as start answered it. */
  login_id: string
  authorization_url: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export interface GetLoginInput {
  /** Identifier of a sign-on, as start answered it. */
  id: string
}

export interface GetLoginAnswer {
  /** Identifier of a sign-on, as start answered it. */
  login_id: string
  status: 'pending' | 'finished' | 'failed' | 'used'
  reason?:
    | 'declined'
    | 'not_confirmed'
    | 'other_browser'
    | 'other_person'
    | 'issuer_parameter'
    | 'provider_error'
    | 'code_refused'
    | 'answer_malformed'
    | 'token_malformed'
    | 'algorithm'
    | 'key_unknown'
    | 'signature'
    | 'issuer'
    | 'audience'
    | 'azp'
    | 'expired'
    | 'issued_in_future'
    | 'not_yet_valid'
    | 'nonce_missing'
    | 'nonce'
    | 'at_hash'
    | 'id_token_used'
    | 'group_missing'
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export type ListProvidersInput = Record<string, never>

export interface ListProvidersAnswer {
  data: {
    /** Name of a sign-on provider, as listed. */
    name: string
    protocol: 'oidc'
    issuer: string
    assurance_level: 'L2'
  }[]
}

export type BeginPasskeyInput = Record<string, never>

export interface BeginPasskeyAnswer {
  /** For the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export interface FinishPasskeyInput {
  /** The answer of `navigator.credentials.create()`, as JSON (WebAuthn Level 3). */
  response: RegistrationResponse
  /** What the person calls it. */
  name?: string | undefined
}

export type BeginPasskeyLoginInput = Record<string, never>

export interface BeginPasskeyLoginAnswer {
  /** For the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export interface FinishPasskeyLoginInput {
  /** The answer of `navigator.credentials.get()`, as JSON (WebAuthn Level 3). */
  response: AssertionResponse
}

export interface FinishPasskeyLoginAnswer {
  tenant_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** How the person signed in (RFC 8176). */
  amr: string[]
  /** To be sent in the header Deputy-CSRF with every change that is made in this session. */
  csrf_token: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export interface ListPasskeysInput {
  /** sha256: and 64 hexadecimal digits. */
  human_ref?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListPasskeysAnswer {
  /** Newest first. */
  data: Passkey[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface DeletePasskeyInput {
  /** Identifier of the credential, base64url. It is no secret. */
  id: string
}

export interface DeletePasskeyAnswer {
  deleted: boolean
  /** Identifier of the credential, base64url. It is no secret. */
  passkey_id: string
}

export interface BeginStepUpInput {
  /** The operation id. */
  operation: string
  params?: Record<string, unknown> | undefined
  query?: Record<string, unknown> | undefined
  body?: Record<string, unknown> | undefined
}

export interface BeginStepUpAnswer {
  /** For the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  bound_text: string
  /** What is confirmed, in sentences. */
  words: string[]
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export interface FinishStepUpInput {
  /** The answer of `navigator.credentials.get()`, as JSON (WebAuthn Level 3). */
  response: AssertionResponse
}

export interface FinishStepUpAnswer {
  grant: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
}

export type ListPoliciesInput = Record<string, never>

export interface ListPoliciesAnswer {
  data: {
    name: 'HIPAA' | 'SOC2' | 'NIST_ZTA'
    /** Version of the mapping, not of the framework. */
    version: string
    title: string
    /** What the policy is not. */
    note: string
    rule_count: number
  }[]
}

export interface GetPolicyInput {
  name: string
}

export interface EvaluatePoliciesInput {
  /** Policies the token must meet. Each is checked rule by rule and signed into the token. A mapping of controls, never a certification. */
  policy_assertions: ('HIPAA' | 'SOC2' | 'NIST_ZTA')[]
  /** Token identifier, as the issue call answered it. */
  vat_jti?: string | undefined
  resources?: string[] | undefined
  actions?: string[] | undefined
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Lifetime in seconds; what the level gives when absent. */
  expires_in?: number | undefined
  /** Whether the token would be bound to a key of the agent (`agent_jwk`). */
  key_bound?: boolean | undefined
}

export interface EvaluatePoliciesAnswer {
  /** Whether every rule of every policy is met. */
  met: boolean
  findings: {
    framework: 'HIPAA' | 'SOC2' | 'NIST_ZTA'
    /** Name of the rule within its policy. */
    id: string
    /** The control of the framework that the rule stands for. */
    control: string
    /** What must hold, in one sentence. */
    rule: string
    met: boolean
    /** What was looked at. */
    evidence: string
  }[]
}

export interface CreateTenantInput {
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name?: string | undefined
  /** Whether agents may show tokens that are bound to no key. Whoever steals such a token can use it. False at first. */
  allow_bearer?: boolean | undefined
  /** What people confirm with a fresh passkey. */
  step_up?: ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys')[] | undefined
  /** People (human_ref) who may rate and approve for everybody of the tenant. */
  reviewers?: string[] | undefined
  /** Requests a minute for the whole tenant. */
  rate_limit?: number | undefined
}

export interface ListTenantsInput {
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListTenantsAnswer {
  /** Newest first. */
  data: Tenant[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface GetTenantInput {
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
}

export interface UpdateTenantInput {
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name?: string | undefined
  /** Whether agents may show tokens that are bound to no key. Whoever steals such a token can use it. False at first. */
  allow_bearer?: boolean | undefined
  /** What people confirm with a fresh passkey. */
  step_up?: ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys')[] | undefined
  /** People (human_ref) who may rate and approve for everybody of the tenant. */
  reviewers?: string[] | undefined
  /** Requests a minute for the whole tenant. */
  rate_limit?: number | undefined
}

export interface CreateKeyInput {
  /** What it is for. */
  name: string
  role: 'operator' | 'developer' | 'resource_server' | 'auditor'
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id?: string | undefined
  /** For resource servers: the aud that tokens must name to be shown to this service. */
  audience?: string | undefined
  /** Lifetime in seconds; ninety days when absent, a year at most. */
  expires_in?: number | undefined
}

export interface CreateKeyAnswer {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name: string
  role: 'operator' | 'developer' | 'resource_server' | 'auditor'
  audience?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** The credential that made it. */
  created_by: string
  /** Position of the leaf that tells of it. */
  log_index: number
  /** The whole key. It is shown only here and kept only as a keyed hash. */
  key: string
}

export interface ListKeysInput {
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id?: string | undefined
  /** How many entries to answer; 50 when absent. */
  limit?: number | undefined
  /** `next_cursor` of the page before. */
  cursor?: string | undefined
}

export interface ListKeysAnswer {
  /** Newest first. */
  data: ApiKey[]
  /** Pass as `cursor` for the next page. */
  next_cursor: string | null
  has_more: boolean
}

export interface DeleteKeyInput {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
}

export interface DeleteKeyAnswer {
  deleted: boolean
  /** The part of the key after dk_. It is no secret. */
  key_id: string
}

export interface RotateKeyInput {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
  /** A day when absent. */
  overlap_s?: number | undefined
  /** Lifetime in seconds; ninety days when absent, a year at most. */
  expires_in?: number | undefined
}

export interface RotateKeyAnswer {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name: string
  role: 'operator' | 'developer' | 'resource_server' | 'auditor'
  audience?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** The credential that made it. */
  created_by: string
  /** Position of the leaf that tells of it. */
  log_index: number
  /** The whole key. It is shown only here and kept only as a keyed hash. */
  key: string
}

export interface SetUpInput {
  setup_secret: string
  name?: string | undefined
}

export interface SetUpAnswer {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name: string
  role: 'operator' | 'developer' | 'resource_server' | 'auditor'
  audience?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** The credential that made it. */
  created_by: string
  /** Position of the leaf that tells of it. */
  log_index: number
  /** The whole key. It is shown only here and kept only as a keyed hash. */
  key: string
}

export type RotateSigningKeyInput = Record<string, never>

export interface RotateSigningKeyAnswer {
  kid: string
  /** Position of the leaf that tells of the rotation. */
  log_index: number
}

export type ListSigningKeysInput = Record<string, never>

export interface ListSigningKeysAnswer {
  data: SigningKey[]
}

export type GetKeySetInput = Record<string, never>

export type GetAuthorizationServerInput = Record<string, never>

export interface GetAuthorizationServerAnswer {
  issuer: string
  token_endpoint: string
  introspection_endpoint: string
  jwks_uri: string
  service_documentation: string
  response_types_supported: string[]
  grant_types_supported: string[]
  token_endpoint_auth_methods_supported: string[]
  introspection_endpoint_auth_methods_supported: string[]
  dpop_signing_alg_values_supported: string[]
}

export type GetDeploymentInput = Record<string, never>

export interface GetDeploymentAnswer {
  issuer: string
  access: string
  api: {
    version: string
    openapi: string
    docs: string
  }
  jwks_uri: string
  log: {
    /** The name of the log, as its checkpoints bear it. */
    origin: string
    /** The key of the log, as signed notes name keys. */
    vkey: string
  }
}

export type GetHealthInput = Record<string, never>

export interface GetHealthAnswer {
  status: 'ok'
}

export type GetReadinessInput = Record<string, never>

export interface GetReadinessAnswer {
  status: 'ready'
}

export interface ActionRecord {
  /** Action record identifier. */
  aar_id: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Token identifier, as the issue call answered it. */
  root_jti: string
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Base trust of the level x 0.9 per delegation. */
  trust_score: number
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
  action: string
  resource: string
  state: 'pending' | 'completed' | 'cancelled' | 'expired'
  result?: string
  result_hash?: string
  /** Reserved while pending, spent when completed. */
  spend_usd: number
  /** Action record identifier. */
  parent_aar_id?: string
  /** Who told how the action ended, or, while nothing of that is told, who asked: self_reported is the agent, or anybody in open mode; observed is a resource server that the token is meant for. countersigned is kept for later: nothing has it yet. */
  evidence: 'self_reported' | 'observed' | 'countersigned'
  metadata?: Record<string, unknown>
  trace_id?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at?: string
  /** ISO 8601 UTC with milliseconds. */
  completed_at?: string
  completed_after_revocation?: boolean
  over_budget?: boolean
  /** What the human thought of the action. */
  rating?: 'approved' | 'flagged' | 'rejected'
  /** ISO 8601 UTC with milliseconds. */
  feedback_at?: string
  note?: string
  /** How the rater was verified: an assurance level, with +passkey when they confirmed the rating with a fresh one; none in open mode. */
  rater_assurance?: string
  /** Something personal was here and was erased with the key of its person. */
  erased?: boolean
  /** Position of the leaf that created the record. */
  log_index: number
  /** RFC 6962 hash of that leaf. */
  leaf_hash: string
  completed_log_index?: number
  rated_log_index?: number
}

/** The token allows actions only within these hours. */
export interface ActiveHours {
  /** IANA name of the zone the hours are told in. */
  time_zone: string
  /** Every day when absent. */
  days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** First minute, HH:MM. */
  from: string
  /** End, HH:MM, not included; 24:00 is midnight. Earlier than from: over midnight. */
  to: string
}

export interface ApiKey {
  /** The part of the key after dk_. It is no secret. */
  key_id: string
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name: string
  role: 'operator' | 'developer' | 'resource_server' | 'auditor'
  audience?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** The credential that made it. */
  created_by: string
  /** Position of the leaf that tells of it. */
  log_index: number
}

export interface Approval {
  /** Identifier of a question to a human. */
  approval_id: string
  state: 'pending' | 'approved' | 'denied' | 'expired'
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  action: string
  resource: string
  spend_usd: number
  metadata?: Record<string, unknown>
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** ISO 8601 UTC with milliseconds. */
  decided_at?: string
  /** The human_ref of the person who decided; `human` in open mode, where nobody says who they are; `habit`: approved by itself after enough approvals of the same. */
  decided_by?: string
  note?: string
  /** The action record that used it up. */
  used_by?: string
  /** Something personal was here and was erased with the key of its person. */
  erased?: boolean
  log_index: number
  decided_log_index?: number
}

/** The answer of `navigator.credentials.get()`, as JSON (WebAuthn Level 3). */
export interface AssertionResponse {
  /** Identifier of the credential, base64url. It is no secret. */
  id: string
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: string
  clientExtensionResults: Record<string, unknown>
  response: {
    clientDataJSON: string
    authenticatorData: string
    signature: string
    userHandle?: string
  }
}

export interface AuthorizeRequest {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Action verb. */
  action: string
  /** One concrete resource <namespace>:<name>. */
  resource: string
  /** US dollars, at most 6 decimals. */
  spend_usd?: number
  /** The action of the same workflow that caused this one. */
  parent_aar_id?: string
  /** A human approval of exactly this; it is used up by it. */
  approval_id?: string
  /** Facts of your own about the action, at most 4 KiB of JSON. */
  metadata?: Record<string, unknown>
  /** Answer what would happen; keep nothing. */
  dry_run?: boolean
}

export interface AuthorizeResponse {
  authorized: boolean
  /** Action record identifier. */
  aar_id?: string
  reason?:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'approval_denied'
    | 'approval_required'
  reasons?: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'approval_denied'
    | 'approval_required'
  )[]
  /** Identifier of a kept denial. */
  denial_id?: string
  /** Identifier of a question to a human. */
  approval_id?: string
  dry_run?: boolean
  /** Base trust of the level x 0.9 per delegation. */
  trust_score: number
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** When the pending record expires and releases what it reserved. */
  expires_at?: string
}

export interface Budget {
  /** US dollars, at most 6 decimals. */
  allocated_usd: number
  /** US dollars, at most 6 decimals. */
  spent_usd: number
  /** US dollars, at most 6 decimals. */
  reserved_usd: number
  /** US dollars; below zero when more was spent than allowed. */
  remaining_usd: number
}

export interface Claims {
  iss: string
  /** Agent name as stored, with the agent: prefix. */
  sub: string
  aud?: string
  iat: number
  nbf: number
  exp: number
  /** Token identifier, as the issue call answered it. */
  jti: string
  svc_env?: string
  /** The tenant that the agent belongs to; absent for `default`. */
  svc_tenant?: string
  /** Base trust of the level x 0.9 per delegation. */
  svc_trust_score: number
  svc_scope: {
    resources: string[]
    actions: string[]
  }
  svc_assurance_level: 'L1' | 'L2' | 'L3'
  /** Keyed hash that stands for the human behind the token. */
  svc_human_ref: string
  svc_email_verified?: boolean
  /** The sign-on provider that proved the person. */
  svc_provider?: string
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  /** When the person signed in. */
  auth_time?: number
  /** Workflow identifier: one for a token and everything that descends from it. */
  svc_provenance_ref: string
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  svc_delegation_depth: number
  /** Token identifier, as the issue call answered it. */
  svc_root_jti: string
  /** Token identifier, as the issue call answered it. */
  svc_parent_jti?: string
  /** SHA-256 of the compact JWT of the parent. */
  svc_parent_hash?: string
  /** Token identifier, as the issue call answered it. */
  svc_renews_jti?: string
  /** Who passed the authority on (RFC 8693): the parent agent, then its own. */
  act?: Record<string, unknown>
  svc_constraints?: Record<string, unknown>
  /** Policies whose rules the service checked when it issued the token. Never a certification. */
  svc_policy_assertions?: PolicyAssertion[]
  /** Where the status list tells of this token. */
  status?: {
    status_list: {
      idx: number
      uri: string
    }
  }
  cnf?: {
    jkt: string
  }
}

/** Limits enforced by the service. Members beginning with x_ are carried unchanged for resource servers. */
export interface Constraints {
  /** US dollars, at most 6 decimals. */
  max_spend_usd?: number
  /** US dollars, at most 6 decimals. */
  max_spend_per_action_usd?: number
  /** How many actions the token may take in all. */
  max_actions?: number
  /** How many actions the token may take in one minute of the clock. */
  max_actions_per_minute?: number
  /** The token allows nothing before this instant. */
  not_before?: string
  /** The token allows nothing from this instant on. */
  expires_at?: string
  /** The token allows actions only within these hours. */
  active_hours?: ActiveHours
  /** How many delegations may follow below this token; 0 for none. */
  max_delegation_depth?: number
  /** A human decides first when the action is named, the resource is named, or the spend is above the amount; every action when none of them is given. */
  require_approval?: RequireApproval
  /** The acting agent needs at least this combined reputation. */
  min_reputation?: number
  /** Services that tokens of this chain may be meant for. */
  allowed_audiences?: string[]
  [extension: `x_${string}`]: unknown
}

export interface DelegatedToken {
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** The token as a compact JWT signed with Ed25519. */
  compact_jwt: string
  claims: Claims
  /** Token identifier, as the issue call answered it. */
  parent_jti: string
  /** Token identifier, as the issue call answered it. */
  root_jti: string
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
}

export interface Denial {
  /** Identifier of a kept denial. */
  denial_id: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Base trust of the level x 0.9 per delegation. */
  trust_score: number
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
  action: string
  resource: string
  spend_usd: number
  reason:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'approval_denied'
    | 'approval_required'
  reasons: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'approval_denied'
    | 'approval_required'
  )[]
  trace_id?: string
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  log_index: number
  leaf_hash: string
}

export interface GraphEdge {
  /** delegated: a human to the root token, a token to its child, a token to the agent that holds it. performed: an agent to its action. caused: an action to what it led to. */
  type: 'delegated' | 'performed' | 'caused'
  /** What edges name: the human_ref, agent_id, jti or aar_id. */
  from: string
  /** What edges name: the human_ref, agent_id, jti or aar_id. */
  to: string
  /** Of a performed edge: the token that was used. */
  token?: string
}

export interface IssuedToken {
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** The token as a compact JWT signed with Ed25519. */
  compact_jwt: string
  claims: Claims
}

export interface KeySet {
  keys: {
    kty: string
    crv: string
    x: string
    kid: string
    alg: string
    use: string
  }[]
}

export interface LogEntry {
  index: number
  /** The very text that was hashed: RFC 8785 canonical JSON. */
  leaf: string
  /** SHA-256, in base64. */
  leaf_hash: string
}

export interface Passkey {
  /** Identifier of the credential, base64url. It is no secret. */
  passkey_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  name: string
  assurance_level: 'L1' | 'L2' | 'L3'
  transports: string[]
  /** Whether it is kept in several places, by whoever made it. */
  backed_up: boolean
  /** It has counted backwards, as only a copy does, and is not accepted any more. */
  suspected_clone: boolean
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_used_at?: string
}

export interface Policy {
  name: 'HIPAA' | 'SOC2' | 'NIST_ZTA'
  /** Version of the mapping, not of the framework. */
  version: string
  title: string
  /** What the policy is not. */
  note: string
  rules: PolicyRule[]
}

export interface PolicyAssertion {
  framework: 'HIPAA' | 'SOC2' | 'NIST_ZTA'
  /** Version of the mapping, not of the framework. */
  version: string
  controls: {
    /** The control of the framework that the rule stands for. */
    id: string
    /** What must hold, in one sentence. */
    rule: string
    /** What was looked at. */
    evidence: string
  }[]
}

export interface PolicyRule {
  /** Name of the rule within its policy. */
  id: string
  /** The control of the framework that the rule stands for. */
  control: string
  /** What must hold, in one sentence. */
  sentence: string
  check:
    | {
        kind: 'max_lifetime_s'
        value: number
      }
    | {
        kind: 'min_level'
        value: 'L1' | 'L2' | 'L3'
      }
    | {
        kind: 'no_wildcard' | 'key_bound' | 'named_human' | 'logged' | 'revocable' | 'decided_per_request'
      }
}

export interface Receipt {
  /** Action record identifier. */
  aar_id: string
  /** The name of the log. */
  origin: string
  /** The key of the log. Compare it with the one you pinned. */
  vkey: string
  entries: {
    kind: 'created' | 'completed' | 'rated'
    index: number
    leaf: string
    /** SHA-256, in base64. */
    leaf_hash: string
    /** From the leaf up, as RFC 6962 orders it. */
    proof: string[]
  }[]
  /** The signed note that the proofs lead to. */
  checkpoint: string
  /** A compact JWS of type `receipt+jwt`, in which the service itself states the same with the key that signs tokens. */
  statement: string
}

export interface RecordActionRequest {
  /** Token identifier, as the issue call answered it. */
  vat_jti: string
  /** Action verb. */
  action: string
  /** One concrete resource <namespace>:<name>. */
  resource: string
  /** Outcome of the action. success scores 1, partial 0.5, cancelled is left out, everything else 0. */
  result: string
  /** sha256: and 64 hexadecimal digits. */
  result_hash?: string
  /** US dollars, at most 6 decimals. */
  spend_usd?: number
  /** The action of the same workflow that caused this one. */
  parent_aar_id?: string
  /** A human approval of exactly this; it is used up by it. */
  approval_id?: string
  /** Facts of your own about the action, at most 4 KiB of JSON. */
  metadata?: Record<string, unknown>
}

export interface RecordActionResponse {
  recorded: boolean
  /** Action record identifier. */
  aar_id: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Base trust of the level x 0.9 per delegation. */
  trust_score: number
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
}

/** The answer of `navigator.credentials.create()`, as JSON (WebAuthn Level 3). */
export interface RegistrationResponse {
  /** Identifier of the credential, base64url. It is no secret. */
  id: string
  rawId: string
  type: 'public-key'
  authenticatorAttachment?: string
  clientExtensionResults: Record<string, unknown>
  response: {
    clientDataJSON: string
    attestationObject: string
    authenticatorData?: string
    transports?: string[]
    publicKeyAlgorithm?: number
    publicKey?: string
  }
}

export interface Reputation {
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  /** Every record, pending ones included. */
  total_actions: number
  /** Mean outcome of completed actions; 0.5 without any. */
  execution_score: number
  /** Mean human rating; 0.5 without any. */
  feedback_score: number
  /** 0.6 x execution_score + 0.4 x feedback_score. */
  combined_reputation: number
  has_human_feedback: boolean
  completed_actions: number
  ratings: {
    approved: number
    flagged: number
    rejected: number
  }
  /** 95 % Wilson interval. */
  execution_interval: {
    low: number
    high: number
  }
  /** 95 % Wilson interval. */
  feedback_interval: {
    low: number
    high: number
  }
  /** ISO 8601 UTC with milliseconds. */
  first_seen_at: string
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}

/** A human decides first when the action is named, the resource is named, or the spend is above the amount; every action when none of them is given. */
export interface RequireApproval {
  actions?: string[]
  resources?: string[]
  /** US dollars, at most 6 decimals. */
  above_usd?: number
  /** After so many approvals of the same agent, action and resource without a denial, approve by itself. Every tenth ask still goes to the human, and the habit ends 30 days after the last human approval. */
  auto_approve_after?: number
}

export interface SigningKey {
  kid: string
  status: 'active' | 'retired'
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** ISO 8601 UTC with milliseconds. */
  retired_at?: string
  /** ISO 8601 UTC with milliseconds. */
  published_until?: string
}

export interface Tenant {
  /** Lower-case letters, digits and hyphens. Never changes. */
  tenant_id: string
  name: string
  allow_bearer: boolean
  step_up: ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys')[]
  reviewers: string[]
  rate_limit?: number
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  /** Position of the leaf that tells of the last change; absent before the first. */
  log_index?: number
}

export interface TokenView {
  /** Token identifier, as the issue call answered it. */
  jti: string
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Token identifier, as the issue call answered it. */
  root_jti: string
  /** Token identifier, as the issue call answered it. */
  parent_jti?: string
  /** Token identifier, as the issue call answered it. */
  renews_jti?: string
  /** Agent name as stored, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Depth of the actor in the delegation chain; 0 for a root token. */
  delegation_depth: number
  status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
  claims: Claims
  purpose?: string
  /** Actions charged to this token. */
  total_actions: number
  budget?: Budget
  /** ISO 8601 UTC with milliseconds. */
  issued_at: string
  /** ISO 8601 UTC with milliseconds. */
  expires_at: string
  /** ISO 8601 UTC with milliseconds. */
  revoked_at?: string
  revoke_reason?: string
  /** ISO 8601 UTC with milliseconds. */
  suspended_at?: string
  /** Something personal was here and was erased with the key of its person. */
  erased?: boolean
  /** Position of the leaf that tells of the issue. */
  log_index: number
}

export interface WorkflowSummary {
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  total_records: number
  unique_agents: number
  actions_by_type: Record<string, unknown>
  results_by_type: Record<string, unknown>
}

export interface WorkflowView {
  /** Workflow identifier: one for a token and everything that descends from it. */
  provenance_ref: string
  /** Keyed hash that stands for the human behind the token. */
  human_ref: string
  /** Agent of the root token, with the agent: prefix. */
  agent_id: string
  assurance_level: 'L1' | 'L2' | 'L3'
  /** ISO 8601 UTC with milliseconds. */
  created_at: string
  total_records: number
  /** Agents that acted. */
  unique_agents: number
  /** ISO 8601 UTC with milliseconds. */
  last_action_at?: string
}
