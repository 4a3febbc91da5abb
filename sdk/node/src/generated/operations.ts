// Written from the table of operations by `npm run generate`. Do not edit.
import type {
  Call,
  Download,
  DryRunCall,
  OptionalCall,
  OptionalPagedCall,
  PagedCall,
} from '../calls/call-types.ts'

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
    query: [
      'agent_id',
      'assurance_level',
      'human_ref',
      'provenance_ref',
      'status',
      'expires_before',
      'budget_used_above',
      'q',
      'sort',
      'total',
      'limit',
      'cursor',
    ],
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
  suspendToken: {
    method: 'POST',
    path: '/v1/vat/tokens/{jti}/suspend',
    params: ['jti'],
    body: 'json',
    answer: 'json',
  },
  resumeToken: { method: 'POST', path: '/v1/vat/tokens/{jti}/resume', params: ['jti'], answer: 'json' },
  releaseToken: {
    method: 'POST',
    path: '/v1/vat/tokens/{jti}/release',
    params: ['jti'],
    body: 'json',
    answer: 'json',
  },
  verifyToken: { method: 'POST', path: '/v1/vat/verify', body: 'json', answer: 'json' },
  introspectToken: { method: 'POST', path: '/v1/vat/introspect', body: 'form', answer: 'json' },
  exchangeToken: { method: 'POST', path: '/oauth/token', body: 'form', answer: 'json' },
  revokeOauthToken: { method: 'POST', path: '/oauth/revoke', body: 'form', answer: 'json' },
  listRevocations: { method: 'GET', path: '/v1/vat/revocations', query: ['since'], answer: 'json' },
  getStatusList: { method: 'GET', path: '/v1/vat/status-list', answer: 'text' },
  recordAction: { method: 'POST', path: '/v1/vat/record/action', body: 'json', answer: 'json' },
  recordBatch: { method: 'POST', path: '/v1/vat/record/batch', body: 'json', answer: 'json' },
  authorize: { method: 'POST', path: '/v1/vat/authorize', body: 'json', answer: 'json' },
  authorizeBatch: { method: 'POST', path: '/v1/vat/authorize/batch', body: 'json', answer: 'json' },
  evaluateAccess: { method: 'POST', path: '/access/v1/evaluation', body: 'json', answer: 'json' },
  evaluateAccesses: { method: 'POST', path: '/access/v1/evaluations', body: 'json', answer: 'json' },
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
    query: [
      'agent_id',
      'action',
      'resource',
      'reason',
      'assurance_level',
      'human_ref',
      'provenance_ref',
      'total',
      'from',
      'to',
      'limit',
      'cursor',
    ],
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
      'reason',
      'q',
      'expand',
      'sort',
      'assurance_level',
      'human_ref',
      'provenance_ref',
      'total',
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
  listGrants: {
    method: 'GET',
    path: '/v1/vat/approvals/grants',
    query: ['agent_id', 'human_ref'],
    answer: 'json',
  },
  endGrant: { method: 'POST', path: '/v1/vat/approvals/grants/end', body: 'json', answer: 'json' },
  revokeAgent: { method: 'POST', path: '/v1/vat/revoke/agent', body: 'json', answer: 'json' },
  registerAgent: { method: 'POST', path: '/v1/vat/agents', body: 'json', answer: 'json' },
  listAgents: {
    method: 'GET',
    path: '/v1/vat/agents',
    query: ['status', 'agent_ids', 'q', 'sort', 'expand', 'total', 'limit', 'cursor'],
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
    body: 'json',
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
    query: ['human_ref', 'agent_id', 'state', 'q', 'expand', 'total', 'from', 'to', 'limit', 'cursor'],
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
    query: ['limit', 'expand', 'cursor'],
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
  previewAuditPack: {
    method: 'GET',
    path: '/v1/vat/audit/preview',
    query: ['workflow', 'agent_id', 'from', 'to'],
    answer: 'json',
  },
  exportAuditPack: {
    method: 'GET',
    path: '/v1/vat/audit/pack',
    query: ['workflow', 'agent_id', 'from', 'to'],
    answer: 'download',
  },
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
  listWitnesses: { method: 'GET', path: '/v1/vat/log/witnesses', answer: 'json' },
  listEvents: {
    method: 'GET',
    path: '/v1/vat/events',
    query: ['after', 'last', 'limit', 'wait', 'type', 'agent_id', 'provenance_ref', 'vat_jti', 'format'],
    answer: 'json',
    pages: 'after',
  },
  createWebhook: { method: 'POST', path: '/v1/vat/webhooks', body: 'json', answer: 'json' },
  listWebhooks: {
    method: 'GET',
    path: '/v1/vat/webhooks',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getWebhook: {
    method: 'GET',
    path: '/v1/vat/webhooks/{webhook_id}',
    params: ['webhook_id'],
    answer: 'json',
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v1/vat/webhooks/{webhook_id}',
    params: ['webhook_id'],
    body: 'json',
    answer: 'json',
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v1/vat/webhooks/{webhook_id}',
    params: ['webhook_id'],
    answer: 'json',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/v1/vat/webhooks/{webhook_id}/rotate-secret',
    params: ['webhook_id'],
    body: 'json',
    answer: 'json',
  },
  enableWebhook: {
    method: 'POST',
    path: '/v1/vat/webhooks/{webhook_id}/enable',
    params: ['webhook_id'],
    answer: 'json',
  },
  testWebhook: {
    method: 'POST',
    path: '/v1/vat/webhooks/{webhook_id}/test',
    params: ['webhook_id'],
    answer: 'json',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: '/v1/vat/webhooks/{webhook_id}/deliveries',
    params: ['webhook_id'],
    query: ['state', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  retryWebhookDelivery: {
    method: 'POST',
    path: '/v1/vat/webhooks/{webhook_id}/deliveries/{event_id}/retry',
    params: ['webhook_id', 'event_id'],
    answer: 'json',
  },
  replayWebhook: {
    method: 'POST',
    path: '/v1/vat/webhooks/{webhook_id}/replay',
    params: ['webhook_id'],
    body: 'json',
    answer: 'json',
  },
  revokeHuman: { method: 'POST', path: '/v1/vat/revoke/human', body: 'json', answer: 'json' },
  refuseTokens: {
    method: 'POST',
    path: '/v1/vat/humans/{human_ref}/refuse',
    params: ['human_ref'],
    answer: 'json',
  },
  acceptTokens: {
    method: 'POST',
    path: '/v1/vat/humans/{human_ref}/accept',
    params: ['human_ref'],
    answer: 'json',
  },
  listHumans: {
    method: 'GET',
    path: '/v1/vat/humans',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getHuman: { method: 'GET', path: '/v1/vat/humans/{human_ref}', params: ['human_ref'], answer: 'json' },
  exportHuman: {
    method: 'GET',
    path: '/v1/vat/humans/{human_ref}/export',
    params: ['human_ref'],
    answer: 'download',
  },
  eraseHuman: { method: 'DELETE', path: '/v1/vat/humans/{human_ref}', params: ['human_ref'], answer: 'json' },
  getMe: { method: 'GET', path: '/v1/vat/auth/me', answer: 'json' },
  signInWithKey: { method: 'POST', path: '/v1/vat/auth/sign-in/key', body: 'json', answer: 'json' },
  listSignIns: { method: 'GET', path: '/v1/vat/auth/sign-ins', query: ['human_ref'], answer: 'json' },
  endSignIn: {
    method: 'DELETE',
    path: '/v1/vat/auth/sign-ins/{session_id}',
    params: ['session_id'],
    answer: 'json',
  },
  logOut: { method: 'POST', path: '/v1/vat/auth/logout', body: 'json', answer: 'json' },
  getStats: {
    method: 'GET',
    path: '/v1/vat/stats',
    query: ['from', 'to', 'bucket', 'group_by', 'agent_id', 'action', 'resource', 'limit'],
    answer: 'json',
  },
  listAlerts: {
    method: 'GET',
    path: '/v1/vat/alerts',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  createAlertRule: { method: 'POST', path: '/v1/vat/alerts/rules', body: 'json', answer: 'json' },
  listAlertRules: {
    method: 'GET',
    path: '/v1/vat/alerts/rules',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  suggestAlertRules: { method: 'POST', path: '/v1/vat/alerts/rules/suggested', answer: 'json' },
  dryRunAlertRule: { method: 'POST', path: '/v1/vat/alerts/rules/dry-run', body: 'json', answer: 'json' },
  getAlertRule: {
    method: 'GET',
    path: '/v1/vat/alerts/rules/{rule_id}',
    params: ['rule_id'],
    answer: 'json',
  },
  updateAlertRule: {
    method: 'PATCH',
    path: '/v1/vat/alerts/rules/{rule_id}',
    params: ['rule_id'],
    body: 'json',
    answer: 'json',
  },
  deleteAlertRule: {
    method: 'DELETE',
    path: '/v1/vat/alerts/rules/{rule_id}',
    params: ['rule_id'],
    answer: 'json',
  },
  getNotifications: { method: 'GET', path: '/v1/vat/notifications', answer: 'json' },
  setNotifications: { method: 'PUT', path: '/v1/vat/notifications', body: 'json', answer: 'json' },
  addChannel: { method: 'POST', path: '/v1/vat/notifications/channels', body: 'json', answer: 'json' },
  confirmChannel: {
    method: 'POST',
    path: '/v1/vat/notifications/channels/{channel_id}/confirm',
    params: ['channel_id'],
    body: 'json',
    answer: 'json',
  },
  testChannel: {
    method: 'POST',
    path: '/v1/vat/notifications/channels/{channel_id}/test',
    params: ['channel_id'],
    answer: 'json',
  },
  removeChannel: {
    method: 'DELETE',
    path: '/v1/vat/notifications/channels/{channel_id}',
    params: ['channel_id'],
    answer: 'json',
  },
  vouch: { method: 'POST', path: '/v1/vat/trust/vouches', body: 'json', answer: 'json' },
  listVouches: {
    method: 'GET',
    path: '/v1/vat/trust/vouches',
    query: ['from', 'to', 'context', 'standing', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getVouch: { method: 'GET', path: '/v1/vat/trust/vouches/{vouch_id}', params: ['vouch_id'], answer: 'json' },
  updateVouch: {
    method: 'PATCH',
    path: '/v1/vat/trust/vouches/{vouch_id}',
    params: ['vouch_id'],
    body: 'json',
    answer: 'json',
  },
  withdrawVouch: {
    method: 'POST',
    path: '/v1/vat/trust/vouches/{vouch_id}/withdraw',
    params: ['vouch_id'],
    answer: 'json',
  },
  getVouchScore: {
    method: 'GET',
    path: '/v1/vat/trust/scores/{subject}',
    params: ['subject'],
    query: ['context', 'as', 'at', 'explain'],
    answer: 'json',
  },
  findTrustPaths: {
    method: 'GET',
    path: '/v1/vat/trust/paths',
    query: ['from', 'to', 'context'],
    answer: 'json',
  },
  getTrustGraph: { method: 'GET', path: '/v1/vat/trust/graph', query: ['around', 'depth'], answer: 'json' },
  rankByVouches: {
    method: 'GET',
    path: '/v1/vat/trust/ranking',
    query: ['context', 'limit'],
    answer: 'json',
  },
  nameAnchor: {
    method: 'PUT',
    path: '/v1/vat/trust/anchors/{human_ref}',
    params: ['human_ref'],
    body: 'json',
    answer: 'json',
  },
  removeAnchor: {
    method: 'DELETE',
    path: '/v1/vat/trust/anchors/{human_ref}',
    params: ['human_ref'],
    answer: 'json',
  },
  listAnchors: {
    method: 'GET',
    path: '/v1/vat/trust/anchors',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
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
  beginKeyPasskey: { method: 'POST', path: '/v1/vat/auth/key-passkeys/options', answer: 'json' },
  finishKeyPasskey: { method: 'POST', path: '/v1/vat/auth/key-passkeys', body: 'json', answer: 'json' },
  signInWithPasskey: { method: 'POST', path: '/v1/vat/auth/sign-in/passkey', body: 'json', answer: 'json' },
  listKeyPasskeys: { method: 'GET', path: '/v1/vat/auth/key-passkeys', answer: 'json' },
  deleteKeyPasskey: {
    method: 'DELETE',
    path: '/v1/vat/auth/key-passkeys/{id}',
    params: ['id'],
    answer: 'json',
  },
  beginStepUp: { method: 'POST', path: '/v1/vat/auth/step-up/options', body: 'json', answer: 'json' },
  finishStepUp: { method: 'POST', path: '/v1/vat/auth/step-up/verify', body: 'json', answer: 'json' },
  getConsent: { method: 'GET', path: '/v1/vat/auth/consent', answer: 'json' },
  getBiometrics: {
    method: 'GET',
    path: '/v1/vat/auth/biometrics/{human_ref}',
    params: ['human_ref'],
    answer: 'json',
  },
  exportBiometrics: {
    method: 'GET',
    path: '/v1/vat/auth/biometrics/{human_ref}/export',
    params: ['human_ref'],
    answer: 'json',
  },
  deleteBiometrics: {
    method: 'DELETE',
    path: '/v1/vat/auth/biometrics/{human_ref}',
    params: ['human_ref'],
    answer: 'json',
  },
  createVerificationSession: { method: 'POST', path: '/v1/vat/auth/sessions', body: 'json', answer: 'json' },
  answerStep: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/steps',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  beginSessionPasskey: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/passkey',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  getVerificationSession: {
    method: 'GET',
    path: '/v1/vat/auth/sessions/{id}',
    params: ['id'],
    answer: 'json',
  },
  cancelVerificationSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/cancel',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  createHostedSession: { method: 'POST', path: '/v1/vat/auth/sessions/hosted', body: 'json', answer: 'json' },
  previewHostedSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/preview',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  openHostedSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/open',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  transferHostedSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/transfer',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  watchHostedSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/watch',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  collectHostedSession: {
    method: 'POST',
    path: '/v1/vat/auth/sessions/{id}/collect',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  capture: { method: 'POST', path: '/v1/vat/auth/capture', body: 'json', answer: 'json' },
  enroll: { method: 'POST', path: '/v1/vat/auth/enroll', body: 'json', answer: 'json' },
  getVerification: { method: 'GET', path: '/v1/vat/auth/verifications/{id}', params: ['id'], answer: 'json' },
  listVerifications: {
    method: 'GET',
    path: '/v1/vat/auth/verifications',
    query: ['human_ref', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  getEngine: { method: 'GET', path: '/v1/vat/auth/engine', answer: 'json' },
  installEngine: { method: 'POST', path: '/v1/vat/auth/engine/install', answer: 'json' },
  setDuress: { method: 'PUT', path: '/v1/vat/auth/duress', body: 'json', answer: 'json' },
  deleteDuress: {
    method: 'DELETE',
    path: '/v1/vat/auth/duress',
    query: ['human_ref', 'verification_id'],
    answer: 'json',
  },
  listDuressAlerts: {
    method: 'GET',
    path: '/v1/vat/auth/duress-alerts',
    query: ['limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  resolveDuressAlert: {
    method: 'POST',
    path: '/v1/vat/auth/duress-alerts/{id}/resolve',
    params: ['id'],
    body: 'json',
    answer: 'json',
  },
  getSsfConfiguration: { method: 'GET', path: '/.well-known/ssf-configuration', answer: 'json' },
  createStream: { method: 'POST', path: '/v1/vat/ssf/streams', body: 'json', answer: 'json' },
  readStreams: { method: 'GET', path: '/v1/vat/ssf/streams', query: ['stream_id'], answer: 'json' },
  updateStream: { method: 'PATCH', path: '/v1/vat/ssf/streams', body: 'json', answer: 'json' },
  deleteStream: { method: 'DELETE', path: '/v1/vat/ssf/streams', query: ['stream_id'], answer: 'json' },
  getStreamStatus: { method: 'GET', path: '/v1/vat/ssf/status', query: ['stream_id'], answer: 'json' },
  updateStreamStatus: { method: 'POST', path: '/v1/vat/ssf/status', body: 'json', answer: 'json' },
  addStreamSubject: { method: 'POST', path: '/v1/vat/ssf/subjects/add', body: 'json', answer: 'json' },
  removeStreamSubject: { method: 'POST', path: '/v1/vat/ssf/subjects/remove', body: 'json', answer: 'json' },
  verifyStream: { method: 'POST', path: '/v1/vat/ssf/verify', body: 'json', answer: 'json' },
  pollStream: {
    method: 'POST',
    path: '/v1/vat/ssf/streams/{stream_id}/poll',
    params: ['stream_id'],
    body: 'json',
    answer: 'json',
  },
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
  listSecurityEvents: {
    method: 'GET',
    path: '/v1/vat/security-events',
    query: ['tenant_id', 'kind', 'from', 'limit', 'cursor'],
    answer: 'json',
    pages: 'cursor',
  },
  rotateSigningKey: { method: 'POST', path: '/v1/vat/signing-keys/rotate', answer: 'json' },
  withdrawSigningKey: {
    method: 'POST',
    path: '/v1/vat/signing-keys/{kid}/withdraw',
    params: ['kid'],
    body: 'json',
    answer: 'json',
  },
  listSigningKeys: { method: 'GET', path: '/v1/vat/signing-keys', answer: 'json' },
  getKeySet: { method: 'GET', path: '/.well-known/jwks.json', answer: 'json' },
  getAuthorizationServer: { method: 'GET', path: '/.well-known/oauth-authorization-server', answer: 'json' },
  getAuthzenConfiguration: { method: 'GET', path: '/.well-known/authzen-configuration', answer: 'json' },
  getDeployment: { method: 'GET', path: '/.well-known/deputy.json', answer: 'json' },
  getHealth: { method: 'GET', path: '/healthz', answer: 'json' },
  getReadiness: { method: 'GET', path: '/readyz', answer: 'json' },
  getServiceStatus: { method: 'GET', path: '/v1/vat/status', answer: 'json' },
} as const

export type OperationId = keyof typeof OPERATIONS

/** Every error code of the service. */
export type ErrorCode =
  | 'invalid_request'
  | 'malformed_json'
  | 'credential_required'
  | 'credential_invalid'
  | 'callback_refused'
  | 'role_not_allowed'
  | 'not_yours'
  | 'step_up_required'
  | 'passkey_required'
  | 'face_required'
  | 'consent_required'
  | 'passkey_refused'
  | 'host_not_allowed'
  | 'peer_not_local'
  | 'forwarded_request'
  | 'cross_site_request'
  | 'not_allowed'
  | 'scope_widening'
  | 'delegation_not_allowed'
  | 'token_not_live'
  | 'rank_too_low'
  | 'key_required'
  | 'human_refuses'
  | 'policy_unmet'
  | 'provider_not_allowed'
  | 'sign_on_too_old'
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
  | 'sign_in_unknown'
  | 'session_unknown'
  | 'verification_unknown'
  | 'webhook_unknown'
  | 'delivery_unknown'
  | 'signing_key_unknown'
  | 'method_not_allowed'
  | 'not_enrolled'
  | 'already_enrolled'
  | 'rating_immutable'
  | 'login_not_usable'
  | 'cannot_vouch'
  | 'not_an_approver'
  | 'agent_taken'
  | 'key_removed'
  | 'approval_decided'
  | 'alert_unknown'
  | 'stream_unknown'
  | 'rule_unknown'
  | 'too_many_rules'
  | 'audit_pack_empty'
  | 'audit_pack_too_large'
  | 'vouch_unknown'
  | 'channel_unknown'
  | 'channel_unavailable'
  | 'too_many_channels'
  | 'code_refused'
  | 'vouch_exists'
  | 'vouch_ended'
  | 'tenant_exists'
  | 'registry_conflict'
  | 'held_key'
  | 'already_set_up'
  | 'spend_out_of_range'
  | 'rotation_too_soon'
  | 'session_closed'
  | 'session_taken'
  | 'session_not_judged'
  | 'verification_pending'
  | 'verification_withdrawn'
  | 'step_mismatch'
  | 'nonce_mismatch'
  | 'answer_early'
  | 'answer_late'
  | 'record_closed'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'media_invalid'
  | 'idempotency_mismatch'
  | 'webhook_limit'
  | 'stream_limit'
  | 'rate_limited'
  | 'log_restored'
  | 'too_many_streams'
  | 'audit_pack_busy'
  | 'verification_locked'
  | 'internal'
  | 'overloaded'
  | 'storage_unavailable'
  | 'storage_full'
  | 'storage_damaged'
  | 'clock_jumped'
  | 'provider_unavailable'
  | 'engine_unavailable'
  | 'engine_busy'
  | 'trust_unavailable'
  | 'checkpoint_pending'
  | 'shutting_down'

/** Why a token is not valid. */
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

/** Every operation of the service. */
export interface Methods {
  /**
   * Issue a root token (L1). Issues a token from an email address alone, for development, testing and low-risk automation. Starts a new workflow.
   *
   * `POST /v1/vat/issue/l1`
   */
  issueL1: Call<IssueL1Input, IssuedToken>
  /**
   * Issue a root token (L2). Issues a token for a person who signed in with a configured provider. Send either an `id_token` or the `login_id` of a finished sign-in; a person who calls with their own signed-in session needs neither. Each proof works for one token. If groups are configured for the provider, the scope must stay within the groups of the person.
   *
   * `POST /v1/vat/issue/l2`
   */
  issueL2: Call<IssueL2Input, IssuedToken>
  /**
   * Delegate to another agent. Issues a child token. The parent must be live and hold the action `delegate`. Lists that you leave out are inherited (without `delegate`), the constraints of the parent stay binding, and anything wider than the parent is refused and listed in `widening`. A child of a token that is bound to a key must be bound to a key too. In keyed mode an agent delegates to a new name, to an agent that it has created by delegation, or to the `agent_jwk` that the other agent has registered.
   *
   * `POST /v1/vat/delegate`
   */
  delegate: Call<DelegateInput, DelegatedToken>
  /**
   * Preview a delegation. Returns the child that a delegation would create, and everything that would be refused. A request that is invalid for the delegation is invalid here too. Stores nothing.
   *
   * `POST /v1/vat/delegate/preview`
   */
  previewDelegation: Call<PreviewDelegationInput, PreviewDelegationAnswer>
  /**
   * Renew a token. Issues a fresh token with the same scope and workflow, within the limits of its assurance level and its parent. It shares budgets and counts with the token it renews, and each of the two is revoked and suspended with the other. A token that is bound to a key which its agent no longer uses is not renewed.
   *
   * `POST /v1/vat/renew`
   */
  renewToken: Call<RenewTokenInput, RenewTokenAnswer>
  /**
   * List tokens. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true. Another `sort` returns one page of the newest 1,000 tokens that match.
   *
   * `GET /v1/vat/tokens`
   */
  listTokens: OptionalPagedCall<ListTokensInput, ListTokensAnswer, TokenView>
  /**
   * Get a token. Returns its scope, its status and its use so far.
   *
   * `GET /v1/vat/tokens/{jti}`
   */
  getToken: Call<GetTokenInput, TokenView>
  /**
   * Get the chain above a token.
   *
   * `GET /v1/vat/tokens/{jti}/chain`
   */
  getTokenChain: Call<GetTokenChainInput, GetTokenChainAnswer>
  /**
   * List the tokens below a token.
   *
   * `GET /v1/vat/tokens/{jti}/descendants`
   */
  listDescendants: PagedCall<ListDescendantsInput, ListDescendantsAnswer, TokenView>
  /**
   * Get the budget of a token. Returns its own account and the tightest budget among its ancestors. A token without a budget in its chain can spend up to 9 billion dollars in total.
   *
   * `GET /v1/vat/tokens/{jti}/budget`
   */
  getTokenBudget: Call<GetTokenBudgetInput, GetTokenBudgetAnswer>
  /**
   * Compare the granted scope with the used scope. Counts what the token and every token below it have used, and suggests a narrower scope.
   *
   * `GET /v1/vat/tokens/{jti}/usage`
   */
  getTokenUsage: Call<GetTokenUsageInput, GetTokenUsageAnswer>
  /**
   * Revoke a token. Revokes the token, the tokens that it renews and every token below them before the response is sent. Revoking a token again changes nothing and is not an error. You can still complete pending records, so no evidence is lost.
   *
   * `POST /v1/vat/revoke`
   */
  revokeToken: Call<RevokeTokenInput, RevokeTokenAnswer>
  /**
   * Preview a revocation. Returns what revoking the token would stop. Changes nothing.
   *
   * `POST /v1/vat/revoke/preview`
   */
  previewRevocation: Call<PreviewRevocationInput, PreviewRevocationAnswer>
  /**
   * Suspend a token. Freezes the token, the tokens that it renews and every token below them until it is resumed by a caller of your rank or a higher one: agent, developer, person, operator. Suspending again changes nothing, unless your rank is higher: then only your rank or a higher one can resume the token.
   *
   * `POST /v1/vat/tokens/{jti}/suspend`
   */
  suspendToken: Call<SuspendTokenInput, Suspension>
  /**
   * Resume a suspended token. Also resumes the tokens that this one renews. Needs the rank of the caller who suspended each of them, or a higher one.
   *
   * `POST /v1/vat/tokens/{jti}/resume`
   */
  resumeToken: Call<ResumeTokenInput, Suspension>
  /**
   * Release a token from review. For the safety desk only: releases the token and those that it renews. From now on, they hold nothing for review, neither their own actions nor those of tokens below them. If the token was delegated from one that is under review, release that one. The response does not show whether anything was held before.
   *
   * `POST /v1/vat/tokens/{jti}/release`
   */
  releaseToken: Call<ReleaseTokenInput, ReleaseTokenAnswer>
  /**
   * Verify a token. Checks the signature, the validity times, that this service issued the token, and that every ancestor is live. For an invalid token the response is `valid: false`, not an error.
   *
   * `POST /v1/vat/verify`
   */
  verifyToken: Call<VerifyTokenInput, VerifyTokenAnswer>
  /**
   * Introspect a token (RFC 7662). Returns the claims of a valid token, and `{"active": false}` without a reason for anything else.
   *
   * `POST /v1/vat/introspect`
   */
  introspectToken: Call<IntrospectTokenInput, IntrospectTokenAnswer>
  /**
   * Exchange a token for a narrower one (RFC 8693). Delegation in the standard form: the subject token is the parent. The request needs no other credential: a subject token that is bound to a key needs a DPoP proof of that key (RFC 9449), and the new token is bound to the key of the proof. Errors are OAuth errors (`error`, `error_description`).
   *
   * `POST /oauth/token`
   */
  exchangeToken: Call<ExchangeTokenInput, ExchangeTokenAnswer>
  /**
   * Revoke a token (RFC 7009). Revocation in the standard form, for OAuth clients. The holder of a token, and of the key that it is bound to, can revoke it; others authenticate with an API key. Revoking a token that is unknown, expired or already revoked is not an error.
   *
   * `POST /oauth/revoke`
   */
  revokeOauthToken: Call<RevokeOauthTokenInput, RevokeOauthTokenAnswer>
  /**
   * List revocations since an index. A signed delta for offline verifiers: a compact JWS of type `revocations+jwt` whose payload has `iss`, `iat`, `since`, `until`, `has_more` and `entries`. Call again with `since` set to `until`. Tokens are identified by the SHA-256 digest of their jti. An entry of kind `withdrawn` names the `kid` of a stolen signing key. In keyed mode, entries name agents and people of the tenant of the caller only, and the payload names it as `tenant_id`: ask the status list about tokens of other tenants. Operators and auditors of `default` read the entries of all tenants, without `tenant_id`.
   *
   * `GET /v1/vat/revocations`
   */
  listRevocations: OptionalCall<ListRevocationsInput, ListRevocationsAnswer>
  /**
   * Get the Token Status List. The standard list for verifiers: two bits per token, 1 when it is revoked and 2 when it is suspended, by itself or through an ancestor. The claim `status.status_list.idx` is the index of a token. Entries of expired tokens have no meaning. The claim `withdrawn_keys` lists the `kid` of stolen signing keys: refuse every token that they signed.
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
   * Record many actions. Up to 1,000 actions. Each item gets its own result, and all of them are committed together.
   *
   * `POST /v1/vat/record/batch`
   */
  recordBatch: Call<RecordBatchInput, RecordBatchAnswer>
  /**
   * Authorize an action. Checks an action before the agent takes it. If it is allowed, the service opens a pending record. If it is denied, the response is still HTTP 200, with `authorized: false`, the reasons and the ID of the stored denial.
   *
   * `POST /v1/vat/authorize`
   */
  authorize: DryRunCall<AuthorizeInput, AllowedDecision | DeniedDecision, DryRunDecision>
  /**
   * Authorize many actions. Up to 1,000 actions. Each item gets its own result, and all of them are committed together.
   *
   * `POST /v1/vat/authorize/batch`
   */
  authorizeBatch: Call<AuthorizeBatchInput, AuthorizeBatchAnswer>
  /**
   * Evaluate access (AuthZEN). The Access Evaluation API of the OpenID AuthZEN Authorization API 1.0, answered by the same rules as `authorize`. For an unknown subject or resource the decision is false, not an error. Nothing is stored unless `context.record` is true.
   *
   * `POST /access/v1/evaluation`
   */
  evaluateAccess: Call<EvaluateAccessInput, AuthzenDecision>
  /**
   * Evaluate many accesses (AuthZEN). The Access Evaluations API of the OpenID AuthZEN Authorization API 1.0. Top-level fields are defaults for each evaluation. Without `evaluations` the call is a single evaluation.
   *
   * `POST /access/v1/evaluations`
   */
  evaluateAccesses: OptionalCall<EvaluateAccessesInput, EvaluateAccessesAnswer>
  /**
   * Complete a pending record. Closes the record with its outcome and charges the actual spend, or the estimate if you leave out `spend_usd`. Repeating the same completion returns the stored record; a different one is refused. You can complete a record after its token was revoked; the record is then marked.
   *
   * `POST /v1/vat/aar/{id}/complete`
   */
  completeRecord: Call<CompleteRecordInput, ActionRecord>
  /**
   * Cancel a pending record. Abandons the action and releases its reservation.
   *
   * `POST /v1/vat/aar/{id}/cancel`
   */
  cancelRecord: Call<CancelRecordInput, ActionRecord>
  /**
   * Get an action record.
   *
   * `GET /v1/vat/aar/{id}`
   */
  getRecord: Call<GetRecordInput, ActionRecord>
  /**
   * List action records. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/aar`
   */
  listRecords: OptionalPagedCall<ListRecordsInput, ListRecordsAnswer, ActionRecord>
  /**
   * Get a denial.
   *
   * `GET /v1/vat/denials/{id}`
   */
  getDenial: Call<GetDenialInput, Denial>
  /**
   * List denials. Actions that the rules denied, newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/denials`
   */
  listDenials: OptionalPagedCall<ListDenialsInput, ListDenialsAnswer, Denial>
  /**
   * Rate an action. Stores how a person rates an action. A rating never changes: a second call returns 409 with the stored rating.
   *
   * `POST /v1/vat/aar/{id}/feedback`
   */
  rateRecord: Call<RateRecordInput, RateRecordAnswer>
  /**
   * List approvals. Newest first. People see the requests of their agents and those that they are an approver of. A page can hold fewer entries than `limit`: continue while `has_more` is true. With `sort=expires_first` the response is one page of the newest 1,000 that match.
   *
   * `GET /v1/vat/approvals`
   */
  listApprovals: OptionalPagedCall<ListApprovalsInput, ListApprovalsAnswer, ListedApproval>
  /**
   * Get an approval, or wait for its decision.
   *
   * `GET /v1/vat/approvals/{id}`
   */
  getApproval: Call<GetApprovalInput, Approval>
  /**
   * Approve an action. Allows exactly what the agent asked for, once. The agent calls authorize again with `approval_id`. With `grant`, further requests of the same kind are approved automatically for some time. If the token names approvers, the request is approved once enough of them have approved it. A request of a revoked token is refused with `token_not_live`.
   *
   * `POST /v1/vat/approvals/{id}/approve`
   */
  approve: Call<ApproveInput, Approval>
  /**
   * Deny an action. A single denial is enough, even when several people must approve. You can still deny a request of a revoked token. For ten minutes the same request is denied without asking again; each further denial doubles that time, up to a day.
   *
   * `POST /v1/vat/approvals/{id}/deny`
   */
  deny: Call<DenyInput, Approval>
  /**
   * Decide many approvals. Up to 1,000 decisions. Each item gets its own result. An approval that needs a face verification can only be given alone, with POST /v1/vat/approvals/{id}/approve.
   *
   * `POST /v1/vat/approvals/batch`
   */
  decideApprovals: Call<DecideApprovalsInput, DecideApprovalsAnswer>
  /**
   * List habits. Repeated approvals of the same root token, agent, action, resource and metadata fields that `auto_approve_after` can give automatically. Most used first, at most 200.
   *
   * `GET /v1/vat/approvals/habits`
   */
  listHabits: OptionalCall<ListHabitsInput, ListHabitsAnswer>
  /**
   * End a habit. The next request of this agent, action and resource needs the approval of a person again, below every root token. Ends grants of this kind too.
   *
   * `POST /v1/vat/approvals/habits/end`
   */
  endHabit: Call<EndHabitInput, EndHabitAnswer>
  /**
   * List grants. The grants that are in force, at most 200. A grant ends when the token that it was given to, or one above it, is revoked.
   *
   * `GET /v1/vat/approvals/grants`
   */
  listGrants: OptionalCall<ListGrantsInput, ListGrantsAnswer>
  /**
   * End a grant. The next request needs the approval of a person again. Takes effect before the response is sent.
   *
   * `POST /v1/vat/approvals/grants/end`
   */
  endGrant: Call<EndGrantInput, EndGrantAnswer>
  /**
   * Revoke every token of an agent. Revokes the tokens of the agent and every token delegated from those. `revoked_count` counts the tokens of the agent. Tokens issued later are not affected: suspend the agent to stop those too.
   *
   * `POST /v1/vat/revoke/agent`
   */
  revokeAgent: Call<RevokeAgentInput, RevokeAgentAnswer>
  /**
   * Register an agent. Adds a profile to an agent, and keys. Agents exist from their first token on, so registering is optional. In keyed mode you become the owner of an agent that has none. Registering again sets the fields that you send.
   *
   * `POST /v1/vat/agents`
   */
  registerAgent: Call<RegisterAgentInput, Agent>
  /**
   * List agents. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true. Another `sort` returns one page of the newest 1,000 agents that match.
   *
   * `GET /v1/vat/agents`
   */
  listAgents: OptionalPagedCall<ListAgentsInput, ListAgentsAnswer, Agent>
  /**
   * Get an agent.
   *
   * `GET /v1/vat/agents/{agent_id}`
   */
  getAgent: Call<GetAgentInput, Agent>
  /**
   * Update the profile of an agent. Sets the fields that you send. Null removes a field; fields that you leave out do not change. In keyed mode only an owner of the agent or an operator may do this. To rotate a key, add the new one, then remove the old one.
   *
   * `PATCH /v1/vat/agents/{agent_id}`
   */
  updateAgent: Call<UpdateAgentInput, Agent>
  /**
   * Suspend an agent. Freezes every token of the agent and every token delegated from those, until it is resumed by a caller of your rank or a higher one. A suspended agent gets no new tokens. Every agent that shares a key with this one is suspended too, because a key is one program, whatever its name. Resume each of them separately.
   *
   * `POST /v1/vat/agents/{agent_id}/suspend`
   */
  suspendAgent: Call<SuspendAgentInput, Agent>
  /**
   * Resume a suspended agent. Needs the rank of the caller who suspended the agent, or a higher one.
   *
   * `POST /v1/vat/agents/{agent_id}/resume`
   */
  resumeAgent: Call<ResumeAgentInput, Agent>
  /**
   * Get the reputation of an agent. Computed from recorded outcomes (60 %) and ratings (40 %).
   *
   * `GET /v1/vat/reputation/{agent_id}`
   */
  getReputation: Call<GetReputationInput, Reputation>
  /**
   * Get the reputation of an agent over time. One entry for each day with activity, oldest first, at most 366. Scores cover that day alone, except `combined_reputation` and its interval.
   *
   * `GET /v1/vat/reputation/{agent_id}/history`
   */
  getReputationHistory: Call<GetReputationHistoryInput, GetReputationHistoryAnswer>
  /**
   * Rank agents by reputation. The best agents, at most 200.
   *
   * `GET /v1/vat/reputation`
   */
  rankAgents: OptionalCall<RankAgentsInput, RankAgentsAnswer>
  /**
   * List workflows. Newest first. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/workflows`
   */
  listWorkflows: OptionalPagedCall<ListWorkflowsInput, ListWorkflowsAnswer, WorkflowView>
  /**
   * Summarize a workflow. Counts every action of every agent in the workflow.
   *
   * `GET /v1/vat/aar/provenance/{ref}`
   */
  getProvenance: Call<GetProvenanceInput, WorkflowSummary>
  /**
   * List the actions of a workflow. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/aar/provenance/{ref}/records`
   */
  listWorkflowRecords: PagedCall<ListWorkflowRecordsInput, ListWorkflowRecordsAnswer, ActionRecord>
  /**
   * Get the execution graph of a workflow. Shows who delegated to whom and what was done. A page holds up to `limit` actions, oldest first, with every token, agent and person above them. With `expand`, denials and approvals come in the order of time with the actions, up to `limit` of each. After the last of them come the unused tokens, up to `limit` per page. Edges can refer to actions of earlier pages, which are not repeated; tokens, agents and the person are repeated on every page that needs them.
   *
   * `GET /v1/vat/aar/provenance/{ref}/graph`
   */
  getWorkflowGraph: Call<GetWorkflowGraphInput, GetWorkflowGraphAnswer>
  /**
   * Export a workflow. Downloads a consistent snapshot of the whole workflow, without a size limit. ndjson: one record per line. csv: RFC 4180 with a header line; a cell that a spreadsheet could run as a formula, or that starts with an apostrophe, gets an apostrophe in front. prov-json: the W3C submission PROV-JSON. ocsf: every event of the workflow as a row of OCSF 1.8, one per line, for a SIEM. proof-pack: the log entries of the workflow with their proofs, the records and the signed checkpoint; `deputy verify` and the page /verify check it without this service. Exports never contain a token ID: `token` and `root_token` are SHA-256 digests of the ID.
   *
   * `GET /v1/vat/aar/provenance/{ref}/export`
   */
  exportWorkflow: Call<ExportWorkflowInput, Download>
  /**
   * Get the causes and effects of an action. Returns its causes up to the first one (at most 1,000), its direct effects (at most 200), and the chain of tokens from the agent up to the person.
   *
   * `GET /v1/vat/aar/{id}/lineage`
   */
  getLineage: Call<GetLineageInput, GetLineageAnswer>
  /**
   * Count what an audit pack would contain. Takes the same parameters as the pack and creates nothing. A workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval in it.
   *
   * `GET /v1/vat/audit/preview`
   */
  previewAuditPack: OptionalCall<PreviewAuditPackInput, PreviewAuditPackAnswer>
  /**
   * Download an audit pack. One ZIP archive for an auditor: the proof pack of every chosen workflow, the signed checkpoint with its cosignatures, a table of all decisions (allowed, denied, and approved by whom), the policies with what was found for each token, a manifest with the hash of each file, the verdict of the verifier, and a README that says how to check all of it without this service. `deputy verify` and the page /verify compute the verdict again. A workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval in it; it is always in the pack as a whole, up to the checkpoint. Without parameters, the pack is about every workflow. A pack never contains a token ID, nor text that was erased.
   *
   * `GET /v1/vat/audit/pack`
   */
  exportAuditPack: OptionalCall<ExportAuditPackInput, Download>
  /**
   * Get a receipt for an action. Returns the log entries of the action, a proof of inclusion for each, and the signed checkpoint that the proofs lead to. With the receipt you can prove later that the action was recorded, completed and rated as it says. The call waits up to a second for a checkpoint that covers the newest entry.
   *
   * `GET /v1/vat/aar/{id}/receipt`
   */
  getReceipt: Call<GetReceiptInput, Receipt>
  /**
   * Get the newest checkpoint. Size and root hash of the log as a signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses. Keep it: every later checkpoint must extend it.
   *
   * `GET /checkpoint`
   */
  getCheckpoint: OptionalCall<GetCheckpointInput, string>
  /**
   * Get a tile of hashes. C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written in groups of three digits, such as `x001/x234/067`. A tile never changes.
   *
   * `GET /tile/{level}/{index}`
   */
  getTile: Call<GetTileInput, Uint8Array>
  /**
   * Get a tile of entries. C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after its length in two bytes. In keyed mode only operators and auditors of the deployment can read entries; hashes and proofs are public.
   *
   * `GET /tile/entries/{index}`
   */
  getEntries: Call<GetEntriesInput, Uint8Array>
  /**
   * List log entries.
   *
   * `GET /v1/vat/log/entries`
   */
  listLogEntries: OptionalPagedCall<ListLogEntriesInput, ListLogEntriesAnswer, LogEntry>
  /**
   * Get a log entry.
   *
   * `GET /v1/vat/log/entries/{index}`
   */
  getLogEntry: Call<GetLogEntryInput, LogEntry>
  /**
   * Prove that the log contains an entry.
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
   * List signed checkpoints.
   *
   * `GET /v1/vat/log/checkpoints`
   */
  listCheckpoints: OptionalPagedCall<
    ListCheckpointsInput,
    ListCheckpointsAnswer,
    {
      /** Size of the log. */
      size: number
      /** Root hash of the log, in base64. */
      root_hash: string
      /** When the checkpoint was signed. */
      signed_at: string
      /** The signed note. */
      note: string
    }
  >
  /**
   * List the witnesses of the log. Witnesses cosign checkpoints, so that the log cannot show different histories to different people. `failing_since` and `failure` are what this node has seen since it started.
   *
   * `GET /v1/vat/log/witnesses`
   */
  listWitnesses: OptionalCall<ListWitnessesInput, ListWitnessesAnswer>
  /**
   * Follow or list events. The events that you may see, oldest first. With `Accept: text/event-stream` the response is a stream of server-sent events that stays open: the `id` of each event is its number, and a client that reconnects with `Last-Event-ID` misses nothing. A stream without `after` starts now. Otherwise the response is a page, which starts with the first event or after `after`.
   *
   * `GET /v1/vat/events`
   */
  listEvents: OptionalPagedCall<
    ListEventsInput,
    ListEventsAnswer,
    DeputyEvent | CloudEvent | Record<string, unknown>
  >
  /**
   * Create a webhook. Sends events from now on to a URL of yours, signed by the Standard Webhooks specification: at least once, and in order for each workflow. The webhook sees what your role may see. The secret is shown only in this response. A tenant has at most 100 webhooks.
   *
   * `POST /v1/vat/webhooks`
   */
  createWebhook: Call<CreateWebhookInput, CreatedWebhook>
  /**
   * List webhooks. The webhooks of your tenant, the newest change first.
   *
   * `GET /v1/vat/webhooks`
   */
  listWebhooks: OptionalPagedCall<ListWebhooksInput, ListWebhooksAnswer, Webhook>
  /**
   * Get a webhook.
   *
   * `GET /v1/vat/webhooks/{webhook_id}`
   */
  getWebhook: Call<GetWebhookInput, Webhook>
  /**
   * Update a webhook. Sets the fields that you send. Events waiting to be retried go to the new URL. Only an operator can update the webhook of an operator.
   *
   * `PATCH /v1/vat/webhooks/{webhook_id}`
   */
  updateWebhook: Call<UpdateWebhookInput, Webhook>
  /**
   * Delete a webhook. Nothing more is sent, except attempts in progress. Other nodes follow within seconds. Its deliveries are deleted too.
   *
   * `DELETE /v1/vat/webhooks/{webhook_id}`
   */
  deleteWebhook: Call<DeleteWebhookInput, DeleteWebhookAnswer>
  /**
   * Replace the key of a webhook. For `overlap_s` seconds messages carry a signature of the old key and one of the new. A receiver accepts a message if one of them is valid.
   *
   * `POST /v1/vat/webhooks/{webhook_id}/rotate-secret`
   */
  rotateWebhookSecret: Call<RotateWebhookSecretInput, CreatedWebhook>
  /**
   * Enable a webhook again. A disabled webhook continues where it stopped, so nothing is lost. Waiting events are sent immediately, even if the webhook is already enabled.
   *
   * `POST /v1/vat/webhooks/{webhook_id}/enable`
   */
  enableWebhook: Call<EnableWebhookInput, Webhook>
  /**
   * Send a test event now. Sends one event of type webhook.test and returns the result. The event is not retried and not listed with the deliveries.
   *
   * `POST /v1/vat/webhooks/{webhook_id}/test`
   */
  testWebhook: Call<TestWebhookInput, TestWebhookAnswer>
  /**
   * List the deliveries of a webhook. Newest event first. Deliveries are kept for 7 days, at most the newest 100,000.
   *
   * `GET /v1/vat/webhooks/{webhook_id}/deliveries`
   */
  listWebhookDeliveries: PagedCall<ListWebhookDeliveriesInput, ListWebhookDeliveriesAnswer, WebhookDelivery>
  /**
   * Send an event again. Sends the event as soon as possible, with the same webhook-id, and before later events of its workflow.
   *
   * `POST /v1/vat/webhooks/{webhook_id}/deliveries/{event_id}/retry`
   */
  retryWebhookDelivery: Call<RetryWebhookDeliveryInput, WebhookDelivery>
  /**
   * Send all events from a log index on again. Each event keeps its webhook-id, so a receiver that drops repeated IDs processes only those that it missed. An index before the webhook was created sends older events too, as far as you may see them.
   *
   * `POST /v1/vat/webhooks/{webhook_id}/replay`
   */
  replayWebhook: Call<ReplayWebhookInput, Webhook>
  /**
   * Revoke every token of a person. Tokens issued later are not affected, unless you send `refuse_new`: then no new token is issued in the name of the person until they or an operator accept tokens again. If an operator does this, the sessions of the person end, and so do the keys that they hold by signing in to the dashboard.
   *
   * `POST /v1/vat/revoke/human`
   */
  revokeHuman: Call<RevokeHumanInput, RevokeHumanAnswer>
  /**
   * Refuse new tokens in the name of a person. Until it is lifted, no token is issued or renewed in the name of the person, at any level (403 `human_refuses`). It covers every ref of the person. Tokens that exist are not affected; revoke them with POST /v1/vat/revoke/human.
   *
   * `POST /v1/vat/humans/{human_ref}/refuse`
   */
  refuseTokens: Call<RefuseTokensInput, Acceptance>
  /**
   * Accept tokens in the name of a person again. Only the person or an operator can do this.
   *
   * `POST /v1/vat/humans/{human_ref}/accept`
   */
  acceptTokens: Call<AcceptTokensInput, Acceptance>
  /**
   * List people. The people of your tenant in whose name a token was issued, the newest first. Levels and counts cover the newest 200 tokens of each. A person who proved several levels can have a ref for each of them. The service stores no email addresses. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/humans`
   */
  listHumans: OptionalPagedCall<ListHumansInput, ListHumansAnswer, ListedPerson>
  /**
   * Get a person. Assurance levels and counts cover the newest 10,000 tokens.
   *
   * `GET /v1/vat/humans/{human_ref}`
   */
  getHuman: Call<GetHumanInput, GetHumanAnswer>
  /**
   * Export everything about a person. JSON Lines, for each `human_ref` of the person, the named one first: a line `human`, then each `token`, `record`, `denial`, `approval`, `habit`, `vouch` (given and got), `anchor`, `passkey`, `session` and `key` (from a sign-in to the dashboard), newest first, then each `channel` and the settings `notifications`. After that come `biometric` and each `verification`, and a last line `end` with the counts. Tokens are identified by the SHA-256 digest of their ID, because the file may be shared. Operators get the line `biometric` without the template.
   *
   * `GET /v1/vat/humans/{human_ref}/export`
   */
  exportHuman: Call<ExportHumanInput, Download>
  /**
   * Erase a person. Revokes every token of the person and destroys the key that encrypts their personal data: notes, metadata, purposes, reasons and stored answers. This cannot be undone. The log does not change and still verifies. Erasing again changes nothing; repeat the call after a 503.
   *
   * `DELETE /v1/vat/humans/{human_ref}`
   */
  eraseHuman: Call<EraseHumanInput, EraseHumanAnswer>
  /**
   * Get the caller. Who you are with this credential or in this session, and what you may call. Fields about a person are present only for a signed-in person.
   *
   * `GET /v1/vat/auth/me`
   */
  getMe: OptionalCall<GetMeInput, GetMeAnswer>
  /**
   * Sign in with an API key. Exchanges the key of an operator, a developer or an auditor for a session of the same role and tenant, for work in a browser. The response sets the session cookie. The session ends with its key, after 30 minutes without a request, and after 8 hours at the latest.
   *
   * `POST /v1/vat/auth/sign-in/key`
   */
  signInWithKey: Call<SignInWithKeyInput, SignInWithKeyAnswer>
  /**
   * List sessions. Sessions that are open, newest first. People see their own, developers and auditors those of their key, and operators all sessions with API keys of the tenant, or those of one person.
   *
   * `GET /v1/vat/auth/sign-ins`
   */
  listSignIns: OptionalCall<ListSignInsInput, ListSignInsAnswer>
  /**
   * End a session. Any session that you can list. Its browser has to sign in again.
   *
   * `DELETE /v1/vat/auth/sign-ins/{session_id}`
   */
  endSignIn: Call<EndSignInInput, EndSignInAnswer>
  /**
   * Sign out. Ends the session of this call. A program that sends its API key has none, and can end the sessions of the key with `everywhere`.
   *
   * `POST /v1/vat/auth/logout`
   */
  logOut: OptionalCall<LogOutInput, LogOutAnswer>
  /**
   * Count actions, denials, spend and approvals. Counts over time, for one tenant. Counters are written in the commit that they count, so a response is never behind. It reads at most 20,000 counters, however many records there are. A query that needs more is refused with a hint on how to narrow it. Buckets begin at full minutes, hours and days in UTC; those without activity are left out. Minutes are kept for 7 days and only for the whole tenant. A denial with several reasons counts once for each with `group_by=reason`, and once otherwise. People cannot make this call: they see their own records and approvals.
   *
   * `GET /v1/vat/stats`
   */
  getStats: OptionalCall<GetStatsInput, GetStatsAnswer>
  /**
   * List alerts. Rules that fired, newest first. Each is also an event `alert.fired` and an entry of the log.
   *
   * `GET /v1/vat/alerts`
   */
  listAlerts: OptionalPagedCall<ListAlertsInput, ListAlertsAnswer, Alert>
  /**
   * Create an alert rule. Rules are evaluated about once a second, from counters, and never delay an action. A new rule begins with the next full minute or, for new_use, unusual_hours and spend_rate, with the next full hour. A tenant has at most 50.
   *
   * `POST /v1/vat/alerts/rules`
   */
  createAlertRule: Call<CreateAlertRuleInput, AlertRule>
  /**
   * List alert rules.
   *
   * `GET /v1/vat/alerts/rules`
   */
  listAlertRules: OptionalPagedCall<ListAlertRulesInput, ListAlertRulesAnswer, AlertRule>
  /**
   * Switch on the suggested rules. Creates a rule for each suggestion that the tenant has no rule for yet. All of them only notify. Calling it again changes nothing.
   *
   * `POST /v1/vat/alerts/rules/suggested`
   */
  suggestAlertRules: OptionalCall<SuggestAlertRulesInput, SuggestAlertRulesAnswer>
  /**
   * Try a rule on the past. Returns when a rule would have fired, computed from the same counters by the same code. Stores nothing. Does not account for actions that the effect would have prevented.
   *
   * `POST /v1/vat/alerts/rules/dry-run`
   */
  dryRunAlertRule: Call<DryRunAlertRuleInput, DryRunAlertRuleAnswer>
  /**
   * Get an alert rule.
   *
   * `GET /v1/vat/alerts/rules/{rule_id}`
   */
  getAlertRule: Call<GetAlertRuleInput, AlertRule>
  /**
   * Change an alert rule. Fields that you leave out do not change. The changed rule begins like a new one: what happened before does not count, and it can fire again in the same window.
   *
   * `PATCH /v1/vat/alerts/rules/{rule_id}`
   */
  updateAlertRule: Call<UpdateAlertRuleInput, AlertRule>
  /**
   * Delete an alert rule. Alerts that it has fired stay, and so do the suspensions and approval requirements they caused.
   *
   * `DELETE /v1/vat/alerts/rules/{rule_id}`
   */
  deleteAlertRule: Call<DeleteAlertRuleInput, DeleteAlertRuleAnswer>
  /**
   * Get your channels and settings. A signed-in person gets their own. An operator gets those of the tenant, which carry the approval requests and alerts of everyone in it.
   *
   * `GET /v1/vat/notifications`
   */
  getNotifications: OptionalCall<GetNotificationsInput, Notifications>
  /**
   * Set your time zone and quiet hours. Replaces both. A setting that is left out is removed. Channels stay as they are.
   *
   * `PUT /v1/vat/notifications`
   */
  setNotifications: OptionalCall<SetNotificationsInput, Notifications>
  /**
   * Add a channel. An email address that your sign-in has proved is active immediately. Any other address is sent a code, and the channel is active once you confirm it with the code. The secret that signs the messages of a webhook is shown only in this response.
   *
   * `POST /v1/vat/notifications/channels`
   */
  addChannel: Call<AddChannelInput, AddChannelAnswer>
  /**
   * Confirm an email address. The code is valid for 15 minutes and five attempts. To get another one, remove the channel and add it again.
   *
   * `POST /v1/vat/notifications/channels/{channel_id}/confirm`
   */
  confirmChannel: Call<ConfirmChannelInput, Channel>
  /**
   * Send a test message. Sends the message now, even in quiet hours, and waits for the response of the receiver.
   *
   * `POST /v1/vat/notifications/channels/{channel_id}/test`
   */
  testChannel: Call<TestChannelInput, TestChannelAnswer>
  /**
   * Remove a channel. Messages that have not been sent yet are dropped.
   *
   * `DELETE /v1/vat/notifications/channels/{channel_id}`
   */
  removeChannel: Call<RemoveChannelInput, RemoveChannelAnswer>
  /**
   * Vouch for a person or an agent. Only people can vouch, and only in their own name: in keyed mode with their own session. You cannot vouch for yourself or for agents that act or acted in your name (403 `cannot_vouch`), nor twice for the same subject and context (409 `vouch_exists`, with the first vouch).
   *
   * `POST /v1/vat/trust/vouches`
   */
  vouch: Call<VouchInput, Vouch>
  /**
   * List vouches. Newest first. A person sees the vouches that they made, and with `to` those for themselves.
   *
   * `GET /v1/vat/trust/vouches`
   */
  listVouches: OptionalPagedCall<ListVouchesInput, ListVouchesAnswer, Vouch>
  /**
   * Get a vouch.
   *
   * `GET /v1/vat/trust/vouches/{vouch_id}`
   */
  getVouch: Call<GetVouchInput, Vouch>
  /**
   * Change a vouch. Changes the weight or the end of a vouch that counts. Fields that you leave out do not change. Only the person who vouches can do this. The old weight stays in the log.
   *
   * `PATCH /v1/vat/trust/vouches/{vouch_id}`
   */
  updateVouch: Call<UpdateVouchInput, Vouch>
  /**
   * Withdraw a vouch. Ends a vouch immediately and permanently, and never asks for a passkey. The person who vouches can do this, and an operator. Withdrawing it again changes nothing. Ratings that the agent got while the vouch counted stay with the person.
   *
   * `POST /v1/vat/trust/vouches/{vouch_id}/withdraw`
   */
  withdrawVouch: Call<WithdrawVouchInput, Vouch>
  /**
   * Get the score of a person or an agent. How much of the trust in verified people reaches the subject: a maximum flow along vouches, on paths of at most 5. Made-up accounts add nothing to it. With `explain`, the response names the paths that carry the flow and what limits it; both add up to the flow, which the service checks before it answers. Agents and resource servers get neither `explain` nor `as`, which show who vouches for whom; people see the names of their own vouches, and `as` takes their own ref. Computed from the log: `deputy verify --trust` computes the same number.
   *
   * `GET /v1/vat/trust/scores/{subject}`
   */
  getVouchScore: Call<GetVouchScoreInput, GetVouchScoreAnswer>
  /**
   * Find the paths from a person to a subject. The paths along which the trust in one person reaches the subject, the widest first. People can only ask for paths from themselves.
   *
   * `GET /v1/vat/trust/paths`
   */
  findTrustPaths: Call<FindTrustPathsInput, FindTrustPathsAnswer>
  /**
   * Get the vouches around a person or an agent. People, agents and standing vouches within a number of steps, in both directions, for drawing. People see the vouches that they gave or got, and those for an agent that they own.
   *
   * `GET /v1/vat/trust/graph`
   */
  getTrustGraph: Call<GetTrustGraphInput, GetTrustGraphAnswer>
  /**
   * Rank agents by their score. Agents that someone vouches for, the highest score first. Computed in the background: `as_of` is the state of the log it was computed from.
   *
   * `GET /v1/vat/trust/ranking`
   */
  rankByVouches: OptionalCall<RankByVouchesInput, RankByVouchesAnswer>
  /**
   * Name a person as an anchor. Scores begin at anchors: people who are verified at L2 or L3, and those that an operator names. Naming a person again sets another base. The log contains the base and a digest of the reason.
   *
   * `PUT /v1/vat/trust/anchors/{human_ref}`
   */
  nameAnchor: Call<NameAnchorInput, Anchor>
  /**
   * Remove an anchor that an operator named. The person then counts only by their verification. To exclude a verified person, name them with base 0. Removing an anchor that is not there changes nothing.
   *
   * `DELETE /v1/vat/trust/anchors/{human_ref}`
   */
  removeAnchor: Call<RemoveAnchorInput, RemoveAnchorAnswer>
  /**
   * List the anchors that operators named. Newest first. Verified people are anchors without being listed here.
   *
   * `GET /v1/vat/trust/anchors`
   */
  listAnchors: OptionalPagedCall<ListAnchorsInput, ListAnchorsAnswer, Anchor>
  /**
   * Start a sign-in. Have the person open `authorization_url` in a browser. After signing in they see who asked and for what, and confirm it; then `login_id` works for one token. The agent, scope, constraints, lifetime and purpose that you send are shown and binding: the token cannot be for another agent, have a wider scope or looser limits, or live longer.
   *
   * `POST /v1/vat/auth/oidc/start`
   */
  startLogin: OptionalCall<StartLoginInput, StartLoginAnswer>
  /**
   * Get the status of a sign-in. Only for the caller that started it. A sign-in is deleted ten minutes after it was started.
   *
   * `GET /v1/vat/auth/oidc/logins/{id}`
   */
  getLogin: Call<GetLoginInput, GetLoginAnswer>
  /**
   * List sign-in providers, the verification engine and verification providers.
   *
   * `GET /v1/vat/auth/providers`
   */
  listProviders: OptionalCall<ListProvidersInput, ListProvidersAnswer>
  /**
   * Start registering a passkey. For a person who signed in during the last five minutes, or who confirms the call with a passkey they have (`sign_on_too_old` otherwise). The challenge works once, in this session, for three minutes.
   *
   * `POST /v1/vat/auth/passkeys/register/options`
   */
  beginPasskey: OptionalCall<BeginPasskeyInput, BeginPasskeyAnswer>
  /**
   * Register a passkey. User verification is required. Signing in with the passkey gives the assurance level of the session in which it was registered, never more.
   *
   * `POST /v1/vat/auth/passkeys/register/verify`
   */
  finishPasskey: Call<FinishPasskeyInput, Passkey>
  /**
   * Start signing in with a passkey. The request names no person: the browser lets them choose one of their passkeys.
   *
   * `POST /v1/vat/auth/passkeys/login/options`
   */
  beginPasskeyLogin: OptionalCall<BeginPasskeyLoginInput, BeginPasskeyLoginAnswer>
  /**
   * Sign in with a passkey. The answer sets the session cookie.
   *
   * `POST /v1/vat/auth/passkeys/login/verify`
   */
  finishPasskeyLogin: Call<FinishPasskeyLoginInput, FinishPasskeyLoginAnswer>
  /**
   * List passkeys. People see their own passkeys, operators those of every person in the tenant.
   *
   * `GET /v1/vat/auth/passkeys`
   */
  listPasskeys: OptionalPagedCall<ListPasskeysInput, ListPasskeysAnswer, Passkey>
  /**
   * Delete a passkey. Ends every session of the person except the one that makes this call.
   *
   * `DELETE /v1/vat/auth/passkeys/{id}`
   */
  deletePasskey: Call<DeletePasskeyInput, DeletePasskeyAnswer>
  /**
   * Start adding a passkey to your API key. In a session that began during the last five minutes (`sign_on_too_old` otherwise). The passkey then signs in to the dashboard in place of the key. The challenge works once, in this session, for three minutes.
   *
   * `POST /v1/vat/auth/key-passkeys/options`
   */
  beginKeyPasskey: OptionalCall<BeginKeyPasskeyInput, BeginKeyPasskeyAnswer>
  /**
   * Add a passkey to your API key. User verification is required. A sign-in with the passkey gives a session of the key, so it has the role and the tenant of the key and ends with it. A key that replaces this one needs its own passkeys.
   *
   * `POST /v1/vat/auth/key-passkeys`
   */
  finishKeyPasskey: Call<FinishKeyPasskeyInput, KeyPasskey>
  /**
   * Sign in with a passkey of an API key. Answers the challenge of `POST /v1/vat/auth/passkeys/login/options`. The response sets the session cookie. Refused when the key has ended. People sign in with theirs at `POST /v1/vat/auth/passkeys/login/verify`.
   *
   * `POST /v1/vat/auth/sign-in/passkey`
   */
  signInWithPasskey: Call<SignInWithPasskeyInput, SignInWithPasskeyAnswer>
  /**
   * List passkeys of API keys. Operators see those of all keys of the tenant, others those of their own key.
   *
   * `GET /v1/vat/auth/key-passkeys`
   */
  listKeyPasskeys: OptionalCall<ListKeyPasskeysInput, ListKeyPasskeysAnswer>
  /**
   * Delete a passkey of an API key. You can delete any passkey that you can list. Ends every session that began with it and every other session of its key. The session that makes this call stays open, unless it began with this passkey.
   *
   * `DELETE /v1/vat/auth/key-passkeys/{id}`
   */
  deleteKeyPasskey: Call<DeleteKeyPasskeyInput, DeleteKeyPasskeyAnswer>
  /**
   * Start confirming a call with a passkey. Send the operation ID with the exact params, query and body of the call. The challenge is the SHA-256 digest of `bound_text`, which contains all of these, the session, the expiry and a random value. Show `words` to the person before they answer. The challenge works once, for three minutes.
   *
   * `POST /v1/vat/auth/step-up/options`
   */
  beginStepUp: Call<BeginStepUpInput, BeginStepUpAnswer>
  /**
   * Confirm a call with a passkey. Then send the call with the header `Deputy-Step-Up: <grant>`. A grant works once, for that exact call, in this session, within five minutes.
   *
   * `POST /v1/vat/auth/step-up/verify`
   */
  finishStepUp: Call<FinishStepUpInput, FinishStepUpAnswer>
  /**
   * Get the consent text of biometric verification. Show the text to the person before they enroll, and send its version with the session once they accept. When the text changes, people must accept it again at their next verification.
   *
   * `GET /v1/vat/auth/consent`
   */
  getConsent: OptionalCall<GetConsentInput, GetConsentAnswer>
  /**
   * See whether a person is enrolled. The template itself is only in the export.
   *
   * `GET /v1/vat/auth/biometrics/{human_ref}`
   */
  getBiometrics: Call<GetBiometricsInput, GetBiometricsAnswer>
  /**
   * Export the biometric data of a person. Only the person gets this. `template.face` and each field of `template.voice` are float32 numbers, little-endian, in base64. Operators can delete a template but not read it.
   *
   * `GET /v1/vat/auth/biometrics/{human_ref}/export`
   */
  exportBiometrics: Call<ExportBiometricsInput, ExportBiometricsAnswer>
  /**
   * Withdraw consent to biometric verification. Deletes the template, cancels open verification sessions, and revokes every L3 token that is based on it, with everything below. The person can enroll again. Deleting again changes nothing; repeat the call after a 503.
   *
   * `DELETE /v1/vat/auth/biometrics/{human_ref}`
   */
  deleteBiometrics: Call<DeleteBiometricsInput, DeleteBiometricsAnswer>
  /**
   * Start a biometric verification. Opens a session of three minutes that works once. Show `step` to the person, record, and send the recording to POST /v1/vat/auth/sessions/{id}/steps; the response reveals the next step. Then finish with POST /v1/vat/auth/capture or POST /v1/vat/auth/enroll. In this session only, the nonce replaces your credential, so a device without a credential can answer. The first session starts to download the engine; until it is ready, the call returns `engine_unavailable`.
   *
   * `POST /v1/vat/auth/sessions`
   */
  createVerificationSession: Call<CreateVerificationSessionInput, CreateVerificationSessionAnswer>
  /**
   * Answer a step. Send the recording of the step that was revealed last. If the recording is not good enough, the step is asked again with another task, at most twice. Sending the same recording again returns the same response. The media is judged immediately and not stored.
   *
   * `POST /v1/vat/auth/sessions/{id}/steps`
   */
  answerStep: Call<AnswerStepInput, AnswerStepAnswer>
  /**
   * Get a passkey challenge for a session. Call this after the last step. The challenge is the SHA-256 digest of `bound_text`: the canonical JSON of the session ID, the nonce, the digest of every recording and the digest of the token request. So the passkey confirms this capture and this token. Send the token request that you will send to capture. For an enrollment of a person without a passkey the options create one.
   *
   * `POST /v1/vat/auth/sessions/{id}/passkey`
   */
  beginSessionPasskey: Call<BeginSessionPasskeyInput, BeginSessionPasskeyAnswer>
  /**
   * Get a verification session. Returns its state, never its steps or its nonce. A session is deleted some minutes after it ends.
   *
   * `GET /v1/vat/auth/sessions/{id}`
   */
  getVerificationSession: Call<GetVerificationSessionInput, GetVerificationSessionAnswer>
  /**
   * Cancel a verification session. The session accepts no more answers. Cancelling again changes nothing. A judged session stays judged. To cancel a hosted session, send its client token.
   *
   * `POST /v1/vat/auth/sessions/{id}/cancel`
   */
  cancelVerificationSession: Call<CancelVerificationSessionInput, CancelVerificationSessionAnswer>
  /**
   * Create a hosted verification session. Send the person to `url`, or pass `session_id` and `client_token` to the widget. The session waits fifteen minutes; the capture itself has three minutes from when a device opens it. A capture that does not pass can be tried again while the session waits. With `request`, the holder of the client token collects the token (POST /v1/vat/auth/sessions/{id}/collect). A token that could not be issued is refused here and when a device opens the session, so that nobody is verified in vain. The device never gets the token, and the person reads what they confirm before the camera starts.
   *
   * `POST /v1/vat/auth/sessions/hosted`
   */
  createHostedSession: Call<CreateHostedSessionInput, CreateHostedSessionAnswer>
  /**
   * Show what a person is about to confirm. Who asks, for which agent, and what it may do: show it before you open the session. A transfer code stays valid. A device that opened the session and lost its page calls with its nonce.
   *
   * `POST /v1/vat/auth/sessions/{id}/preview`
   */
  previewHostedSession: Call<PreviewHostedSessionInput, PreviewHostedSessionAnswer>
  /**
   * Open a hosted session on this device. The session belongs to the first device that opens it; others get `session_taken`. After a capture that did not pass or was interrupted, that device starts again with its `nonce`. Send a `device_key`, so that a device that misses the response can open the session again. Repeated while the first call is still under way, the call gets the same response. A session can be opened five times. The response is the same as for POST /v1/vat/auth/sessions, and so are the calls after it; send no token request with them.
   *
   * `POST /v1/vat/auth/sessions/{id}/open`
   */
  openHostedSession: Call<OpenHostedSessionInput, OpenHostedSessionAnswer>
  /**
   * Move a hosted session to a phone. Show `url` as a QR code. The code works once and for two minutes; a new one replaces it. Once the phone has opened the session, this device only watches.
   *
   * `POST /v1/vat/auth/sessions/{id}/transfer`
   */
  transferHostedSession: Call<TransferHostedSessionInput, TransferHostedSessionAnswer>
  /**
   * Watch a hosted session. Without `after`, the call returns immediately. With it, the call waits up to 25 seconds for a change, or returns immediately if too many calls are waiting. The device that has opened the session watches with its nonce.
   *
   * `POST /v1/vat/auth/sessions/{id}/watch`
   */
  watchHostedSession: Call<WatchHostedSessionInput, WatchHostedSessionAnswer>
  /**
   * Collect the result of a hosted session. Returns the result, and the token if one was requested and the person was verified. Collect within ten minutes of the verification. The token can be collected once: repeating the call returns the same token for a minute, then `session_closed`.
   *
   * `POST /v1/vat/auth/sessions/{id}/collect`
   */
  collectHostedSession: Call<CollectHostedSessionInput, CollectedSession>
  /**
   * Judge a verification, and issue a root token (L3). Finishes a session for `verify`. The recording of the last step can be sent in the same call. If the person is verified and you send `agent_id`, `resources` and `actions`, the response contains a token. If the person is not verified, `passed` is false; this is not an error. Repeating the call returns the same response, and the token for ten minutes.
   *
   * `POST /v1/vat/auth/capture`
   */
  capture: Call<CaptureInput, CaptureResult>
  /**
   * Enroll a person. Finishes a session for `enroll` and stores an encrypted template, never the media. The first enrollment of a person wins: a later one must match it. A person without a passkey creates one here (`passkey_registration`); a person who has one confirms with it (`passkey`).
   *
   * `POST /v1/vat/auth/enroll`
   */
  enroll: Call<EnrollInput, EnrollResult>
  /**
   * Get a verification. Operators and auditors also see scores and measured values.
   *
   * `GET /v1/vat/auth/verifications/{id}`
   */
  getVerification: Call<GetVerificationInput, Verification>
  /**
   * List verifications. Newest first. People see their own, staff those of the tenant.
   *
   * `GET /v1/vat/auth/verifications`
   */
  listVerifications: OptionalPagedCall<ListVerificationsInput, ListVerificationsAnswer, Verification>
  /**
   * Get the state of the verification engine.
   *
   * `GET /v1/vat/auth/engine`
   */
  getEngine: OptionalCall<GetEngineInput, VerificationEngine>
  /**
   * Fetch the verification engine. Starts to fetch the models and returns at once. Poll GET /v1/vat/auth/engine.
   *
   * `POST /v1/vat/auth/engine/install`
   */
  installEngine: OptionalCall<InstallEngineInput, VerificationEngine>
  /**
   * Set your sign of coercion. A word that you say after the digits, or a gesture that you show, in a verification. It then looks like any other success, but everything the token does that spends or changes something is held for review, and your contacts are notified. The sign is never shown again. In keyed mode the call needs a fresh passkey: send it with a step-up grant.
   *
   * `PUT /v1/vat/auth/duress`
   */
  setDuress: Call<SetDuressInput, DuressSaved>
  /**
   * Remove your sign of coercion. The response is the same whether or not a sign was set. In keyed mode the call needs a fresh passkey: send it with a step-up grant.
   *
   * `DELETE /v1/vat/auth/duress`
   */
  deleteDuress: OptionalCall<DeleteDuressInput, DuressSaved>
  /**
   * List alerts about coercion. Newest first, for the safety desk only. A page can hold fewer entries than `limit`: continue while `has_more` is true.
   *
   * `GET /v1/vat/auth/duress-alerts`
   */
  listDuressAlerts: OptionalPagedCall<ListDuressAlertsInput, ListDuressAlertsAnswer, DuressAlert>
  /**
   * Resolve an alert about coercion. `safe` releases the token: nothing is held for review from then on. `revoke` revokes it, the one that it renews and everything below them. The log does not say why.
   *
   * `POST /v1/vat/auth/duress-alerts/{id}/resolve`
   */
  resolveDuressAlert: Call<ResolveDuressAlertInput, DuressAlert>
  /**
   * Get the metadata of the signals transmitter. Metadata of the OpenID Shared Signals Framework 1.0.
   *
   * `GET /.well-known/ssf-configuration`
   */
  getSsfConfiguration: OptionalCall<GetSsfConfigurationInput, GetSsfConfigurationAnswer>
  /**
   * Create a stream of signals. Reports everything that is revoked, suspended or resumed in your tenant from now on. The receiver polls the stream, or the service pushes each SET and repeats it until the receiver accepts it. A tenant can have 100 streams.
   *
   * `POST /v1/vat/ssf/streams`
   */
  createStream: OptionalCall<CreateStreamInput, SignalStream>
  /**
   * Read a stream, or list streams.
   *
   * `GET /v1/vat/ssf/streams`
   */
  readStreams: OptionalCall<ReadStreamsInput, SignalStream | SignalStream[]>
  /**
   * Update a stream. Sets the fields that you send. `delivery` is replaced as a whole; its method cannot change.
   *
   * `PATCH /v1/vat/ssf/streams`
   */
  updateStream: Call<UpdateStreamInput, SignalStream>
  /**
   * Delete a stream.
   *
   * `DELETE /v1/vat/ssf/streams`
   */
  deleteStream: Call<DeleteStreamInput, DeleteStreamAnswer>
  /**
   * Get the status of a stream.
   *
   * `GET /v1/vat/ssf/status`
   */
  getStreamStatus: Call<GetStreamStatusInput, SignalStreamState>
  /**
   * Pause, disable or enable a stream.
   *
   * `POST /v1/vat/ssf/status`
   */
  updateStreamStatus: Call<UpdateStreamStatusInput, SignalStreamState>
  /**
   * Add a subject to a stream. A stream begins with all subjects, so this adds back one that was removed.
   *
   * `POST /v1/vat/ssf/subjects/add`
   */
  addStreamSubject: Call<AddStreamSubjectInput, AddStreamSubjectAnswer>
  /**
   * Remove a subject from a stream. The stream no longer reports this token, agent or person, nor the tokens of that agent or person. A stream can leave out up to 1,000 subjects.
   *
   * `POST /v1/vat/ssf/subjects/remove`
   */
  removeStreamSubject: Call<RemoveStreamSubjectInput, RemoveStreamSubjectAnswer>
  /**
   * Request a verification event. The service sends a SET with your `state` over the stream, so that you can check that it works. A push stream gets it immediately, in a single attempt; request the next one after `min_verification_interval`.
   *
   * `POST /v1/vat/ssf/verify`
   */
  verifyStream: Call<VerifyStreamInput, VerifyStreamAnswer>
  /**
   * Poll a stream (RFC 8936). Returns SETs that have not been acknowledged and acknowledges those of earlier responses. A SET is returned again until you acknowledge it. If there are none, the call waits up to 30 seconds, unless you send `returnImmediately`. A resource server can poll the streams whose `aud` is its own audience.
   *
   * `POST /v1/vat/ssf/streams/{stream_id}/poll`
   */
  pollStream: Call<PollStreamInput, PollStreamAnswer>
  /**
   * List policies. Each policy maps controls of a framework to checks of a token. It is not a certification.
   *
   * `GET /v1/vat/policies`
   */
  listPolicies: OptionalCall<ListPoliciesInput, ListPoliciesAnswer>
  /**
   * Get a policy. Returns each rule with its control, one sentence, and the check that the service makes.
   *
   * `GET /v1/vat/policies/{name}`
   */
  getPolicy: Call<GetPolicyInput, Policy>
  /**
   * Evaluate policies. Returns rule by rule what issuing a token with these `policy_assertions` would find: for an existing token (`vat_jti` alone) or for a planned one (`resources` and `actions` are then required). Stores nothing.
   *
   * `POST /v1/vat/policies/evaluate`
   */
  evaluatePolicies: Call<EvaluatePoliciesInput, EvaluatePoliciesAnswer>
  /**
   * Create a tenant. Each tenant has its own agents, people, workflows and keys. The same name in two tenants refers to two different things.
   *
   * `POST /v1/vat/tenants`
   */
  createTenant: Call<CreateTenantInput, Tenant>
  /**
   * List tenants. Operators of the deployment see every tenant, other callers their own.
   *
   * `GET /v1/vat/tenants`
   */
  listTenants: OptionalPagedCall<ListTenantsInput, ListTenantsAnswer, Tenant>
  /**
   * Get a tenant.
   *
   * `GET /v1/vat/tenants/{tenant_id}`
   */
  getTenant: Call<GetTenantInput, Tenant>
  /**
   * Update the settings of a tenant. Sets the fields that you send. Fields that you leave out do not change.
   *
   * `PATCH /v1/vat/tenants/{tenant_id}`
   */
  updateTenant: Call<UpdateTenantInput, Tenant>
  /**
   * Create an API key.
   *
   * `POST /v1/vat/keys`
   */
  createKey: Call<CreateKeyInput, CreatedApiKey>
  /**
   * List API keys. The keys of your tenant, newest first, without their secrets.
   *
   * `GET /v1/vat/keys`
   */
  listKeys: OptionalPagedCall<ListKeysInput, ListKeysAnswer, ApiKey>
  /**
   * Delete an API key. The key stops working at once on this node, and within two seconds on other nodes. Webhooks that it created, and those whose address it set last, are disabled, unless a rotation replaced it with a key that works; `POST /v1/vat/webhooks/{webhook_id}/enable` resumes one where it stopped. Signal streams that it created continue, because gateways learn from them what was revoked.
   *
   * `DELETE /v1/vat/keys/{key_id}`
   */
  deleteKey: Call<DeleteKeyInput, DeleteKeyAnswer>
  /**
   * Replace an API key. Creates a key with the same name, role and tenant. The old key keeps working for `overlap_s` seconds. A key that a person got by signing in with a provider cannot be replaced.
   *
   * `POST /v1/vat/keys/{key_id}/rotate`
   */
  rotateKey: Call<RotateKeyInput, CreatedApiKey>
  /**
   * Create the first operator key. In keyed mode a new deployment prints a setup secret when it starts. The secret works once, for this call.
   *
   * `POST /v1/vat/setup`
   */
  setUp: Call<SetUpInput, CreatedApiKey>
  /**
   * List refused calls. Calls that were refused because of their credential, their permissions, their origin or their rate, in keyed mode. They are counted per kind, caller and hour and kept for 7 days; a crash may lose the last seconds. Nothing personal is stored. The tenant `default` also gets the calls without a valid credential.
   *
   * `GET /v1/vat/security-events`
   */
  listSecurityEvents: OptionalPagedCall<ListSecurityEventsInput, ListSecurityEventsAnswer, SecurityEvent>
  /**
   * Rotate the signing keys. The next keys, which are already published, begin to sign, and new next keys are published. The old public keys stay published until the last token that they signed has expired; the old private keys are destroyed. A key is published for six minutes before it signs, so a rotation too soon after another one is refused.
   *
   * `POST /v1/vat/signing-keys/rotate`
   */
  rotateSigningKey: OptionalCall<RotateSigningKeyInput, RotateSigningKeyAnswer>
  /**
   * Withdraw a stolen signing key. Removes the key from the published keys immediately and lets the next key sign. Tokens that it signed from `from` on are revoked. Earlier ones stay valid online, because the service compares them with the log; offline verifiers refuse every token of the key, because a thief can write any date. Renew such tokens. Calling it again completes a withdrawal that was interrupted; an earlier `from` extends it.
   *
   * `POST /v1/vat/signing-keys/{kid}/withdraw`
   */
  withdrawSigningKey: Call<WithdrawSigningKeyInput, WithdrawSigningKeyAnswer>
  /**
   * List signing keys.
   *
   * `GET /v1/vat/signing-keys`
   */
  listSigningKeys: OptionalCall<ListSigningKeysInput, ListSigningKeysAnswer>
  /**
   * Get the public keys (JWK Set). The keys that verify tokens, status lists and statements, including retired keys whose tokens can still be valid, and the next keys, which do not sign yet.
   *
   * `GET /.well-known/jwks.json`
   */
  getKeySet: OptionalCall<GetKeySetInput, KeySet>
  /**
   * Get the OAuth metadata (RFC 8414).
   *
   * `GET /.well-known/oauth-authorization-server`
   */
  getAuthorizationServer: OptionalCall<GetAuthorizationServerInput, GetAuthorizationServerAnswer>
  /**
   * Get the AuthZEN metadata. Metadata of the OpenID AuthZEN Authorization API 1.0.
   *
   * `GET /.well-known/authzen-configuration`
   */
  getAuthzenConfiguration: OptionalCall<GetAuthzenConfigurationInput, GetAuthzenConfigurationAnswer>
  /**
   * Describe this deployment. Returns the issuer, the access mode, the address of the API description, and the name and key of the log. Pin the key of the log: it never changes.
   *
   * `GET /.well-known/deputy.json`
   */
  getDeployment: OptionalCall<GetDeploymentInput, GetDeploymentAnswer>
  /**
   * Check that the service is running.
   *
   * `GET /healthz`
   */
  getHealth: OptionalCall<GetHealthInput, GetHealthAnswer>
  /**
   * Check that the service is ready. Succeeds when the service can commit changes. Otherwise the problem carries `ready: false` and `reasons`: each has the `code` of an error and a `detail`.
   *
   * `GET /readyz`
   */
  getReadiness: OptionalCall<GetReadinessInput, GetReadinessAnswer>
  /**
   * Get the status of a node. For operators: whether the node is ready, how long commits take and how many changes are waiting, the log and its witnesses, memory and disk. Covers the node that responds, since it started. `GET /metrics` has the same for monitoring.
   *
   * `GET /v1/vat/status`
   */
  getServiceStatus: OptionalCall<GetServiceStatusInput, GetServiceStatusAnswer>
}

export interface IssueL1Input {
  /** Email address of the accountable person. It is stored only as a keyed hash. */
  developer_email: string
  /** Agent name that you choose: 1 to 128 letters, digits, . _ @ + / - and single inner spaces. Letters of any script, but no mix of scripts that look alike. In Unicode normal form C, and not . or .. alone. Leave out the agent: prefix; the service adds it. */
  agent_id: string
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources: string[]
  /** Actions that the token allows on each of these resources. */
  actions: string[]
  /** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds. One day by default, at most thirty days. */
  expires_in?: number | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
}

export type IssueL1Answer = IssuedToken

export interface IssueL2Input {
  /** An ID token that a configured provider issued for this service. It works for one token. */
  id_token?: string | undefined
  /** The nonce that the ID token must carry. Only with `id_token`. */
  nonce?: string | undefined
  /** A finished sign-in. Not together with `id_token`. */
  login_id?: string | undefined
  /** Agent name that you choose: 1 to 128 letters, digits, . _ @ + / - and single inner spaces. Letters of any script, but no mix of scripts that look alike. In Unicode normal form C, and not . or .. alone. Leave out the agent: prefix; the service adds it. */
  agent_id: string
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources: string[]
  /** Actions that the token allows on each of these resources. */
  actions: string[]
  /** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
  constraints?: Constraints | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
  /** Lifetime in seconds. Eight hours by default, at most one day. */
  expires_in?: number | undefined
}

export type IssueL2Answer = IssuedToken

export interface DelegateInput {
  /** The parent token. */
  vat_jti: string
  /** Name of the agent that gets the child token, without the agent: prefix. */
  agent_id: string
  /** Resources of the child. Those of the parent by default. */
  resources?: string[] | undefined
  /** Actions of the child. Those of the parent by default, without `delegate`. */
  actions?: string[] | undefined
  /** Further limits. Those of the parent also apply. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds, at most the remaining lifetime of the parent. One hour by default, or the remaining lifetime if that is shorter. */
  expires_in?: number | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
}

export type DelegateAnswer = DelegatedToken

export interface PreviewDelegationInput {
  /** The parent token. */
  vat_jti: string
  /** Name of the agent that gets the child token, without the agent: prefix. */
  agent_id: string
  /** Resources of the child. Those of the parent by default. */
  resources?: string[] | undefined
  /** Actions of the child. Those of the parent by default, without `delegate`. */
  actions?: string[] | undefined
  /** Further limits. Those of the parent also apply. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds, at most the remaining lifetime of the parent. One hour by default, or the remaining lifetime if that is shorter. */
  expires_in?: number | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
}

export interface PreviewDelegationAnswer {
  /** Whether the delegation would succeed. */
  allowed: boolean
  /** Entries that the parent does not hold. */
  widening: string[]
  /** Why the parent is not live. Empty if it is. */
  reasons: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  )[]
  /** Policy rules that the child would not meet. */
  unmet: string[]
  /** Why the parent cannot be delegated at all. */
  obstacle?: string
  /** Any other error of the delegation, such as one that the name or the key of the child causes. Absent if none. */
  refusal?: {
    /** Code of the error, such as `agent_taken` or `key_required`. */
    code: string
    /** What is wrong, and what to do. */
    detail: string
  }
  /** The child that the delegation would create. */
  child: {
    /** Agent name with the agent: prefix, as the service stores it. */
    agent_id: string
    /** Resources of the child. */
    resources: string[]
    /** Actions of the child. */
    actions: string[]
    /** Constraints of the child. */
    constraints: Record<string, unknown>
    /** Number of delegations between the root token and this token. 0 for a root token. */
    delegation_depth: number
    /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
    trust_score: number
    /** When the child would expire. */
    expires_at: string
  }
}

export interface RenewTokenInput {
  /** The token to renew. */
  vat_jti: string
  /** Lifetime of the new token in seconds. */
  expires_in: number
}

export interface RenewTokenAnswer {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The token as a compact JWT, signed with Ed25519. */
  compact_jwt: string
  /** The claims of the token: exactly the JWT payload. */
  claims: Claims
  /** The token that this one renews. */
  renews_jti: string
  /** The root token of the workflow. */
  root_jti: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
}

export interface ListTokensInput {
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this assurance level. */
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Only this workflow. */
  provenance_ref?: string | undefined
  /** Only tokens with this status. */
  status?: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked' | undefined
  /** Only tokens that expire before this instant. */
  expires_before?: string | undefined
  /** Only tokens of which more than this share of the tightest budget is spent or reserved, such as 0.8. */
  budget_used_above?: number | undefined
  /** Only entries that contain this text, in upper or lower case: the agent, or the beginning of the token or workflow ID. */
  q?: string | undefined
  /** newest by default. expires_first: what expires next. most_used: the largest share of the tightest budget. */
  sort?: 'newest' | 'expires_first' | 'most_used' | undefined
  /** Also return `total`. */
  total?: '1' | 'true' | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListTokensAnswer {
  /** The entries, newest first. */
  data: TokenView[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries that match the filters, on all pages. Present if you ask for it. */
  total?: number
  /** Whether there may be more than `total`: the service stops at 10,000 entries, or when counting takes too long. */
  total_is_at_least?: boolean
}

export interface GetTokenInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export type GetTokenAnswer = TokenView

export interface GetTokenChainInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export interface GetTokenChainAnswer {
  /** The token, then each ancestor up to the root. */
  data: TokenView[]
}

export interface ListDescendantsInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListDescendantsAnswer {
  /** The tokens, each followed by the tokens delegated from it. */
  data: TokenView[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetTokenBudgetInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export interface GetTokenBudgetAnswer {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** US dollars spent. */
  spent_usd: number
  /** US dollars reserved by pending records. */
  reserved_usd: number
  /** Budget in US dollars. */
  allocated_usd?: number
  /** US dollars that can still be spent. Negative when overspent. */
  remaining_usd?: number
  /** The budget in the chain with the least left. */
  tightest?: TightestBudget
  /** For each limited period, the budget in the chain with the least left. */
  periods?: PeriodBudget[]
}

export interface GetTokenUsageInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export interface GetTokenUsageAnswer {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** The scope of the token. */
  granted: StoredScope
  /** The part that was used. */
  used: StoredScope
  /** The part that was never used. */
  unused: StoredScope
  /** A scope that would have been enough. */
  suggested_scope: StoredScope
  /** Number of records that this is based on: the newest 50,000 at most. */
  records_seen: number
}

export interface RevokeTokenInput {
  /** The token to revoke. */
  vat_jti: string
  /** Why the token is revoked, in your own words. */
  reason?: string | undefined
}

export interface RevokeTokenAnswer {
  /** Always true. */
  revoked: boolean
  /** Whether the token was revoked before, and the one that it renews, so that nothing changed. */
  already_revoked: boolean
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** When the token was revoked. */
  revoked_at: string
  /** Number of live tokens that this call revoked. */
  revoked_count: number
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
}

export interface PreviewRevocationInput {
  /** The token that you would revoke. */
  vat_jti: string
}

export interface PreviewRevocationAnswer {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Whether the token was revoked before, and the one that it renews, so that nothing changed. */
  already_revoked: boolean
  /** Live tokens: this one, the one that it renews, and those below them. */
  live_tokens: number
  /** Agents that hold those tokens, at most 1,000. */
  agents: string[]
  /** Pending records of those tokens. */
  pending_records: number
  /** US dollars reserved by those records. */
  reserved_usd: number
}

export interface SuspendTokenInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Why it is suspended, in your own words. */
  reason?: string | undefined
}

export type SuspendTokenAnswer = Suspension

export interface ResumeTokenInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export type ResumeTokenAnswer = Suspension

export interface ReleaseTokenInput {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export interface ReleaseTokenAnswer {
  /** Always true. */
  released: boolean
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
}

export interface VerifyTokenInput {
  /** A token as a compact JWT. */
  compact_jwt: string
  /** The audience that the token must name. */
  audience?: string | undefined
}

export interface VerifyTokenAnswer {
  /** Whether the token is valid now. */
  valid: boolean
  /** Why the token is not valid. */
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
  /** The claims of the token: exactly the JWT payload. */
  claims?: Claims
  /** The token, then each ancestor up to the root. Empty if this service did not issue the token. */
  chain: {
    /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
    jti: string
    /** Agent name with the agent: prefix, as the service stores it. */
    agent_id: string
    /** Number of delegations between the root token and this token. 0 for a root token. */
    delegation_depth: number
    /** Status of a token. Only a live token allows actions. */
    status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
    /** When the token expires. */
    expires_at: string
  }[]
}

export interface IntrospectTokenInput {
  /** A token as a compact JWT. */
  token: string
  /** Accepted for OAuth libraries that send it. It has no effect. */
  token_type_hint?: string | undefined
  /** With a client secret: the ID of the API key. Otherwise it has no effect. */
  client_id?: string | undefined
  /** An API key. It can be sent with Basic authentication instead. */
  client_secret?: string | undefined
}

export interface IntrospectTokenAnswer {
  /** Whether the token is valid now. */
  active: boolean
  /** Every action@resource pair, separated by spaces. In an action, %20 stands for a space, %40 for @ and %25 for %. */
  scope?: string
  /** Agent name with the agent: prefix, as the service stores it. */
  client_id?: string
  /** DPoP if the token is bound to a key. */
  token_type?: 'DPoP' | 'Bearer'
  /** Issuer of the token. */
  iss?: string
  /** Agent name with the agent: prefix, as the service stores it. */
  sub?: string
  /** The service that accepts the token. */
  aud?: string
  /** When the token was issued, in seconds since 1970. */
  iat?: number
  /** When the token becomes valid, in seconds since 1970. */
  nbf?: number
  /** When the token expires, in seconds since 1970. */
  exp?: number
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti?: string
  /** Access mode of the service that issued the token: open or keyed. */
  svc_env?: string
  /** Tenant of the agent. Absent for `default`. */
  svc_tenant?: string
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  svc_trust_score?: number
  /** Resources and actions of a token. Each action applies to each resource. */
  svc_scope?: StoredScope
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  svc_assurance_level?: 'L1' | 'L2' | 'L3'
  /** Keyed hash that identifies the person behind the token. */
  svc_human_ref?: string
  /** Whether the email address of the person was verified. */
  svc_email_verified?: boolean
  /** The provider that the person signed in with. */
  svc_provider?: string
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  /** When the person signed in, in seconds since 1970. */
  auth_time?: number
  /** How the person was verified, at L3. */
  svc_verification?: VerificationClaim
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  svc_provenance_ref?: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  svc_delegation_depth?: number
  /** The root token of the workflow. */
  svc_root_jti?: string
  /** The token that this one was delegated from. */
  svc_parent_jti?: string
  /** SHA-256 digest of the compact JWT of the parent. */
  svc_parent_hash?: string
  /** The token that this one renews. */
  svc_renews_jti?: string
  /** Agents that delegated (RFC 8693): the parent agent, with its own parent inside. */
  act?: Record<string, unknown>
  /** Constraints of the token, as they were sent. */
  svc_constraints?: Record<string, unknown>
  /** Policies whose rules the service checked when it issued the token. Not a certification. */
  svc_policy_assertions?: PolicyAssertion[]
  /** Where the status of the token is published. */
  status?: {
    /** Reference into the Token Status List. */
    status_list: {
      /** Index of the token in the list. */
      idx: number
      /** Address of the list. */
      uri: string
    }
  }
  /** The key that the token is bound to (RFC 7800). */
  cnf?: {
    /** SHA-256 thumbprint of the key (RFC 7638). */
    jkt: string
  }
}

export interface ExchangeTokenInput {
  /** Must be urn:ietf:params:oauth:grant-type:token-exchange. */
  grant_type: string
  /** The parent token as a compact JWT. */
  subject_token: string
  /** Must be urn:ietf:params:oauth:token-type:jwt or urn:ietf:params:oauth:token-type:access_token. */
  subject_token_type: string
  /** urn:ietf:params:oauth:token-type:access_token, or urn:ietf:params:oauth:token-type:jwt for the same token under that name. */
  requested_token_type?: string | undefined
  /** A token of the agent that gets the child token. The child is bound to the key of this token, if it has one. */
  actor_token?: string | undefined
  /** Must be urn:ietf:params:oauth:token-type:jwt or urn:ietf:params:oauth:token-type:access_token. Required with actor_token. */
  actor_token_type?: string | undefined
  /** Pairs of action@resource, separated by spaces. In an action, %20 stands for a space, %40 for @ and %25 for %. The child holds all of the actions for all of the resources. The scope of the parent without `delegate` by default. */
  scope?: string | undefined
  /** Name of the agent that gets the child token. The agent of the parent by default. */
  agent_id?: string | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** The audience as an absolute URI (RFC 8707). If both are named, they must be equal. */
  resource?: string | undefined
  /** Lifetime in seconds, at most the remaining lifetime of the parent. One hour by default, or the remaining lifetime if that is shorter. */
  expires_in?: number | undefined
  /** With a client secret: the ID of the API key. Otherwise it has no effect. */
  client_id?: string | undefined
  /** An API key. It can be sent with Basic authentication instead. */
  client_secret?: string | undefined
}

export interface ExchangeTokenAnswer {
  /** The new token as a compact JWT. */
  access_token: string
  /** The requested type, or the JWT type if the request names none. */
  issued_token_type: 'urn:ietf:params:oauth:token-type:jwt' | 'urn:ietf:params:oauth:token-type:access_token'
  /** How the token is presented: DPoP if it is bound to a key. */
  token_type: 'DPoP' | 'Bearer'
  /** Lifetime of the new token in seconds. */
  expires_in: number
  /** The granted scope, as action@resource pairs. In an action, %20 stands for a space, %40 for @ and %25 for %. */
  scope: string
}

export interface RevokeOauthTokenInput {
  /** A token as a compact JWT. */
  token: string
  /** Accepted for OAuth libraries that send it. It has no effect. */
  token_type_hint?: string | undefined
  /** With a client secret: the ID of the API key. Otherwise it has no effect. */
  client_id?: string | undefined
  /** An API key. It can be sent with Basic authentication instead. */
  client_secret?: string | undefined
}

export interface RevokeOauthTokenAnswer {
  /** Always true: the token is not in force. */
  revoked: boolean
}

export interface ListRevocationsInput {
  /** Log index to start at, at most the size of the log. 0 by default. */
  since?: number | undefined
}

export interface ListRevocationsAnswer {
  /** The signed delta, as a compact JWS. */
  jwt: string
}

export type GetStatusListInput = Record<string, never>

export interface RecordActionInput {
  /** The token that allows the action. */
  vat_jti: string
  /** Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *. */
  action: string
  /** One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more. */
  resource: string
  /** Outcome of the action: a letter of any script, then up to 63 letters of the same script, digits, . _ @ + / - and single inner spaces. `success` scores 1, `partial` 0.5, `cancelled` is left out of the score, and any other outcome scores 0. */
  result: string
  /** SHA-256 digest of the result, if you keep the result elsewhere: sha256: followed by 1 to 64 hexadecimal digits. Stored in lower case. */
  result_hash?: string | undefined
  /** Cost in US dollars. It is charged to every budget. */
  spend_usd?: number | undefined
  /** The action record in the same workflow that caused this action. */
  parent_aar_id?: string | undefined
  /** The approval for this action. It must match the token, action, resource, spend and metadata, and it can be used once. */
  approval_id?: string | undefined
  /** Your own facts about the action: at most 64 members and 4 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
}

export type RecordActionAnswer = RecordActionResponse

export interface RecordBatchInput {
  /** The actions to record. */
  items: RecordActionRequest[]
}

export interface RecordBatchAnswer {
  /** One result per item, in the same order. */
  items: {
    /** HTTP status that a single call would have returned. */
    status: number
    /** The result, when the item succeeded. */
    answer?: RecordActionResponse
    /** The problem (RFC 9457), when the item was refused. */
    problem?: Record<string, unknown>
  }[]
}

export interface AuthorizeInput {
  /** The token that allows the action. */
  vat_jti: string
  /** Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *. */
  action: string
  /** One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more. */
  resource: string
  /** Estimated cost in US dollars. It is reserved from every budget. */
  spend_usd?: number | undefined
  /** The action record in the same workflow that caused this action. */
  parent_aar_id?: string | undefined
  /** The approval for this action. It must match the token, action, resource, spend and metadata, and it can be used once. */
  approval_id?: string | undefined
  /** Your own facts about the action: at most 64 members and 4 KiB of JSON. */
  metadata?: Record<string, unknown> | undefined
  /** Return the decision without storing anything. */
  dry_run?: boolean | undefined
}

export type AuthorizeAnswer = AuthorizeResponse

export interface AuthorizeBatchInput {
  /** The actions to authorize. */
  items: AuthorizeRequest[]
}

export interface AuthorizeBatchAnswer {
  /** One result per item, in the same order. */
  items: {
    /** HTTP status that a single call would have returned. */
    status: number
    /** The result, when the item succeeded. */
    answer?: AuthorizeResponse
    /** The problem (RFC 9457), when the item was refused. */
    problem?: Record<string, unknown>
  }[]
}

export interface EvaluateAccessInput {
  /** Who wants to act: an agent with its token. */
  subject: AuthzenSubject
  /** What the subject wants to do. */
  action: AuthzenAction
  /** The resource `<type>:<id>`. */
  resource: AuthzenResource
  /** Facts about the request. Members that are not named here are ignored. */
  context?: AuthzenContext | undefined
}

export type EvaluateAccessAnswer = AuthzenDecision

export interface EvaluateAccessesInput {
  /** Who wants to act: an agent with its token. */
  subject?: AuthzenSubject | undefined
  /** What the subject wants to do. */
  action?: AuthzenAction | undefined
  /** The resource `<type>:<id>`. */
  resource?: AuthzenResource | undefined
  /** Facts about the request. Members that are not named here are ignored. */
  context?: AuthzenContext | undefined
  /** The evaluations. A field that one leaves out is taken from the top level. */
  evaluations?: AuthzenEvaluationItem[] | undefined
  /** How to evaluate. */
  options?:
    | {
        /** `execute_all` by default. The others stop after the first denial or the first permit, and return only the evaluations made until then. */
        evaluations_semantic?: 'execute_all' | 'deny_on_first_deny' | 'permit_on_first_permit'
      }
    | undefined
}

export interface EvaluateAccessesAnswer {
  /** The decision, if there were no `evaluations`. */
  decision?: boolean
  /** Why, and what was stored. */
  context?: AuthzenDecisionContext
  /** The decisions, in the order of the request. */
  evaluations?: AuthzenDecision[]
}

export interface CompleteRecordInput {
  /** Action record ID. Starts with aar_. */
  id: string
  /** Outcome of the action: a letter of any script, then up to 63 letters of the same script, digits, . _ @ + / - and single inner spaces. `success` scores 1, `partial` 0.5, `cancelled` is left out of the score, and any other outcome scores 0. */
  result: string
  /** SHA-256 digest of the result, if you keep the result elsewhere: sha256: followed by 1 to 64 hexadecimal digits. Stored in lower case. */
  result_hash?: string | undefined
  /** Actual cost in US dollars. The estimate by default. */
  spend_usd?: number | undefined
  /** Replaces the metadata of the record. */
  metadata?: Record<string, unknown> | undefined
}

export type CompleteRecordAnswer = ActionRecord

export interface CancelRecordInput {
  /** Action record ID. Starts with aar_. */
  id: string
}

export type CancelRecordAnswer = ActionRecord

export interface GetRecordInput {
  /** Action record ID. Starts with aar_. */
  id: string
}

export type GetRecordAnswer = ActionRecord

export interface ListRecordsInput {
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this action. */
  action?: string | undefined
  /** Only this resource. */
  resource?: string | undefined
  /** Only this outcome. */
  result?: string | undefined
  /** Only this rating. */
  rating?: 'approved' | 'flagged' | 'rejected' | undefined
  /** Only this state. */
  state?: 'pending' | 'completed' | 'cancelled' | 'expired' | undefined
  /** Only this kind of evidence. */
  evidence?: 'self_reported' | 'observed' | 'countersigned' | undefined
  /** Only this assurance level. */
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Only this workflow. */
  provenance_ref?: string | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListRecordsAnswer {
  /** The entries, newest first. */
  data: ActionRecord[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetDenialInput {
  /** Denial ID. Starts with den_. */
  id: string
}

export type GetDenialAnswer = Denial

export interface ListDenialsInput {
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this action. */
  action?: string | undefined
  /** Only this resource. */
  resource?: string | undefined
  /** Only denials with this reason among theirs. */
  reason?:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
    | undefined
  /** Only this assurance level. */
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Only this workflow. */
  provenance_ref?: string | undefined
  /** Also return `total`. */
  total?: '1' | 'true' | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListDenialsAnswer {
  /** The entries, newest first. */
  data: Denial[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries that match the filters, on all pages. Present if you ask for it. */
  total?: number
  /** Whether there may be more than `total`: the service stops at 10,000 entries, or when counting takes too long. */
  total_is_at_least?: boolean
}

export interface RateRecordInput {
  /** Action record ID. Starts with aar_. */
  id: string
  /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
  rating: 'approved' | 'flagged' | 'rejected'
  /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
  note?: string | undefined
}

export interface RateRecordAnswer {
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
  rating: 'approved' | 'flagged' | 'rejected'
  /** When the action was rated. */
  feedback_at: string
}

export interface ListApprovalsInput {
  /** Only this state. */
  state?: 'pending' | 'approved' | 'denied' | 'expired' | undefined
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only requests that need a person for this reason. */
  reason?: 'always' | 'action' | 'resource' | 'amount' | 'review' | undefined
  /** Only entries that contain this text, in upper or lower case: the agent, the action or the resource. */
  q?: string | undefined
  /** What to add: `token`, `agent` or both, separated by a comma. */
  expand?: string | undefined
  /** newest by default. expires_first: what must be decided next. */
  sort?: 'newest' | 'expires_first' | undefined
  /** Only this assurance level. */
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Only this workflow. */
  provenance_ref?: string | undefined
  /** Also return `total`. */
  total?: '1' | 'true' | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListApprovalsAnswer {
  /** The entries, newest first. */
  data: ListedApproval[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries that match the filters, on all pages. Present if you ask for it. */
  total?: number
  /** Whether there may be more than `total`: the service stops at 10,000 entries, or when counting takes too long. */
  total_is_at_least?: boolean
}

export interface GetApprovalInput {
  /** Approval ID. Starts with apr_. */
  id: string
  /** Seconds to wait for a decision while the approval is pending. 0 by default. */
  wait?: number | undefined
}

export type GetApprovalAnswer = Approval

export interface ApproveInput {
  /** Approval ID. Starts with apr_. */
  id: string
  /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
  note?: string | undefined
  /** Allows requests of the same root token, agent, action, resource and metadata fields in advance, until it ends or the total is used up. */
  grant?: GrantRequest | undefined
  /** A biometric verification that you passed for this approval, where the tenant requires one. Starts with vrf_. */
  verification_id?: string | undefined
}

export type ApproveAnswer = Approval

export interface DenyInput {
  /** Approval ID. Starts with apr_. */
  id: string
  /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
  note?: string | undefined
}

export type DenyAnswer = Approval

export interface DecideApprovalsInput {
  /** The decisions. */
  items: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The decision. */
    decision: 'approved' | 'denied'
    /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
    note?: string
  }[]
}

export interface DecideApprovalsAnswer {
  /** One result per item, in the same order. */
  items: {
    /** HTTP status that a single call would have returned. */
    status: number
    /** The result, when the item succeeded. */
    answer?: Approval
    /** The problem (RFC 9457), when the item was refused. */
    problem?: Record<string, unknown>
  }[]
}

export interface ListHabitsInput {
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
}

export interface ListHabitsAnswer {
  /** The habits, most used first. */
  data: Habit[]
}

export interface EndHabitInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
  /** Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *. */
  action: string
  /** One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more. */
  resource: string
}

export interface EndHabitAnswer {
  /** False when there was no such habit. */
  ended: boolean
}

export interface ListGrantsInput {
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
}

export interface ListGrantsAnswer {
  /** The grants. */
  data: Grant[]
}

export interface EndGrantInput {
  /** The approval that the grant was given with. */
  approval_id: string
}

export interface EndGrantAnswer {
  /** False when the grant was not in force any more. */
  ended: boolean
}

export interface RevokeAgentInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
  /** Why the token is revoked, in your own words. */
  reason?: string | undefined
}

export interface RevokeAgentAnswer {
  /** Always true. */
  revoked: boolean
  /** When the tokens were revoked. */
  revoked_at: string
  /** Number of live tokens that this call revoked. */
  revoked_count: number
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
}

export interface RegisterAgentInput {
  /** Agent name that you choose: 1 to 128 letters, digits, . _ @ + / - and single inner spaces. Letters of any script, but no mix of scripts that look alike. In Unicode normal form C, and not . or .. alone. Leave out the agent: prefix; the service adds it. */
  agent_id: string
  /** Name to show to people. */
  display_name?: string | undefined
  /** Who runs the agent. */
  owner?: string | undefined
  /** Model that the agent uses. */
  model?: string | undefined
  /** Address of the agent or its documentation. Not checked. */
  url?: string | undefined
  /** Who may issue tokens to the agent and delegate to it, in keyed mode. By default the first caller who uses the name. */
  owned_by?: string[] | undefined
  /** Public keys of the agent to add. Keys of its tokens are added by themselves. */
  add_keys?: Record<string, unknown>[] | undefined
}

export type RegisterAgentAnswer = Agent

export interface ListAgentsInput {
  /** Only active or suspended agents. */
  status?: 'active' | 'suspended' | undefined
  /** Only these agents: up to 100 names, separated by commas. Returned in this order, as one page. */
  agent_ids?: string | undefined
  /** Only entries that contain this text, in upper or lower case: the name of the agent, its display name, its owner or its model. */
  q?: string | undefined
  /** newest by default. name: by display name, else by name. last_action: who acted last. actions: most actions. reputation: highest combined_reputation. */
  sort?: 'newest' | 'name' | 'last_action' | 'actions' | 'reputation' | undefined
  /** activity: add what each agent did in the last 14 days. */
  expand?: 'activity' | undefined
  /** Also return `total`. */
  total?: '1' | 'true' | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListAgentsAnswer {
  /** The entries, newest first. */
  data: Agent[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries that match the filters, on all pages. Present if you ask for it. */
  total?: number
  /** Whether there may be more than `total`: the service stops at 10,000 entries, or when counting takes too long. */
  total_is_at_least?: boolean
}

export interface GetAgentInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
}

export type GetAgentAnswer = Agent

export interface UpdateAgentInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
  /** Name to show to people. Null removes it. */
  display_name?: string | null | undefined
  /** Who runs the agent. Null removes it. */
  owner?: string | null | undefined
  /** Model that the agent uses. Null removes it. */
  model?: string | null | undefined
  /** Address of the agent or its documentation. Not checked. Null removes it. */
  url?: string | null | undefined
  /** Who may issue tokens to the agent and delegate to it, in keyed mode. By default the first caller who uses the name. */
  owned_by?: string[] | undefined
  /** Public keys of the agent to add. Keys of its tokens are added by themselves. */
  add_keys?: Record<string, unknown>[] | undefined
  /** Thumbprints of keys that the agent no longer uses. No new token is bound to them; tokens that are bound to them stay valid until they expire or you revoke them. */
  remove_keys?: string[] | undefined
}

export type UpdateAgentAnswer = Agent

export interface SuspendAgentInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
  /** Why it is suspended, in your own words. */
  reason?: string | undefined
}

export type SuspendAgentAnswer = Agent

export interface ResumeAgentInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
}

export type ResumeAgentAnswer = Agent

export interface GetReputationInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
}

export type GetReputationAnswer = Reputation

export interface GetReputationHistoryInput {
  /** Agent name, with or without the agent: prefix. */
  agent_id: string
  /** Length of one entry. */
  bucket?: 'day' | undefined
}

export interface GetReputationHistoryAnswer {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** The days, oldest first. */
  data: {
    /** Day in UTC, as YYYY-MM-DD. */
    day: string
    /** Action records created on this day. */
    total_actions: number
    /** Actions completed on this day. */
    completed_actions: number
    /** Mean outcome of this day. 0.5 if there is none. */
    execution_score: number
    /** Mean rating of this day. 0.5 if there is none. */
    feedback_score: number
    /** Number of actions by rating. */
    ratings: RatingCounts
    /** 0.6 × execution_score + 0.4 × feedback_score of everything up to the end of this day. */
    combined_reputation: number
    /** Where combined_reputation may lie: 0.6 × the 95 % interval of the execution score + 0.4 × that of the feedback score, of everything up to the end of this day. */
    combined_interval: Interval
  }[]
}

export interface RankAgentsInput {
  /** combined ranks by combined_reputation. lower_bound ranks by the lower ends of the intervals, so that one good action does not win. combined by default. */
  sort?: 'combined' | 'lower_bound' | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
}

export interface RankAgentsAnswer {
  /** The agents, best first. */
  data: Reputation[]
}

export interface ListWorkflowsInput {
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Only workflows in which this agent holds a token. */
  agent_id?: string | undefined
  /** Only this state. */
  state?: 'open' | 'closed' | undefined
  /** Only entries that contain this text, in upper or lower case: the agent of the root token, or the beginning of the workflow ID. */
  q?: string | undefined
  /** What to add: `token` (the purpose), `denials`, `live_tokens`, separated by commas. */
  expand?: string | undefined
  /** Also return `total`. */
  total?: '1' | 'true' | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListWorkflowsAnswer {
  /** The entries, newest first. */
  data: WorkflowView[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries that match the filters, on all pages. Present if you ask for it. */
  total?: number
  /** Whether there may be more than `total`: the service stops at 10,000 entries, or when counting takes too long. */
  total_is_at_least?: boolean
}

export interface GetProvenanceInput {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  ref: string
}

export type GetProvenanceAnswer = WorkflowSummary

export interface ListWorkflowRecordsInput {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  ref: string
  /** Which records come first. newest by default. */
  order?: 'newest' | 'oldest' | undefined
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this action. */
  action?: string | undefined
  /** Only this resource. */
  resource?: string | undefined
  /** Only this outcome. */
  result?: string | undefined
  /** Only this rating. */
  rating?: 'approved' | 'flagged' | 'rejected' | undefined
  /** Only this state. */
  state?: 'pending' | 'completed' | 'cancelled' | 'expired' | undefined
  /** Only this kind of evidence. */
  evidence?: 'self_reported' | 'observed' | 'countersigned' | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListWorkflowRecordsAnswer {
  /** The records in the requested order. */
  data: ActionRecord[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetWorkflowGraphInput {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  ref: string
  /** Maximum number of actions to return. 500 by default. */
  limit?: number | undefined
  /** Further nodes to show: `denials`, `approvals`, `ratings`, separated by commas. */
  expand?: string | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface GetWorkflowGraphAnswer {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The nodes of this page. */
  nodes: GraphNode[]
  /** The edges of this page. */
  edges: GraphEdge[]
  /** Action records of the workflow. */
  total_records: number
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface ExportWorkflowInput {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  ref: string
  /** Format of the file. */
  format: 'ndjson' | 'csv' | 'prov-json' | 'ocsf' | 'proof-pack'
}

export interface GetLineageInput {
  /** Action record ID. Starts with aar_. */
  id: string
}

export interface GetLineageAnswer {
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** One action of an agent, with its outcome and rating. */
  record: ActionRecord
  /** The direct cause, then each earlier one. */
  causes: ActionRecord[]
  /** Whether causes were left out. */
  has_more_causes: boolean
  /** Direct effects, oldest first. */
  effects: ActionRecord[]
  /** Whether effects were left out. */
  has_more_effects: boolean
  /** The token that was used, then each ancestor. */
  chain: TokenView[]
}

export interface PreviewAuditPackInput {
  /** Exactly these workflows. Leave out everything else. */
  workflow?: string[] | undefined
  /** Only workflows in which one of these agents holds a token. A workflow that began before `from` needs an action, a denial or a request for approval by one of them in the time range. */
  agent_id?: string[] | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
}

export interface PreviewAuditPackAnswer {
  /** Workflows that fit. */
  workflows: number
  /** Action records in them. */
  records: number
  /** Denials in them. */
  denials: number
  /** Requests for approval in them. */
  approvals: number
  /** Tokens in them. */
  tokens: number
  /** Whether counting stopped early, so that there are at least this many. */
  is_at_least: boolean
  /** Whether a pack can be made: it is neither empty nor too large. */
  fits: boolean
  /** Most workflows of a pack. */
  max_workflows: number
  /** Most tokens, records, denials and approvals of a pack, together. */
  max_entries: number
  /** When the oldest of the workflows began. */
  first_at?: string
  /** When an agent last acted in one of them. */
  last_at?: string
}

export interface ExportAuditPackInput {
  /** Exactly these workflows. Leave out everything else. */
  workflow?: string[] | undefined
  /** Only workflows in which one of these agents holds a token. A workflow that began before `from` needs an action, a denial or a request for approval by one of them in the time range. */
  agent_id?: string[] | undefined
  /** Only entries created at or after this instant. */
  from?: string | undefined
  /** Only entries created before this instant. */
  to?: string | undefined
}

export interface GetReceiptInput {
  /** Action record ID. Starts with aar_. */
  id: string
}

export type GetReceiptAnswer = Receipt

export type GetCheckpointInput = Record<string, never>

export interface GetTileInput {
  /** Level of the tile, 0 to 63. */
  level: string
  /** Number of the tile, followed by `.p/<W>` for a partial tile of width W. */
  index: string
}

export interface GetEntriesInput {
  /** Number of the tile, followed by `.p/<W>` for a partial tile of width W. */
  index: string
}

export interface ListLogEntriesInput {
  /** Index of the first entry to return. 0 by default. */
  start?: number | undefined
  /** Maximum number of entries to return. 100 by default. */
  limit?: number | undefined
}

export interface ListLogEntriesAnswer {
  /** The entries, oldest first. */
  data: LogEntry[]
  /** Pass as `start` to get the next entries. */
  next_start: number
  /** Whether there are more pages. */
  has_more: boolean
  /** Number of entries in the log. */
  size: number
}

export interface GetLogEntryInput {
  /** Index of the entry, from 0 on. */
  index: number
}

export type GetLogEntryAnswer = LogEntry

export interface GetInclusionProofInput {
  /** Index of the entry. */
  index: number
  /** Size of the tree to prove it in. The size of the newest checkpoint by default. */
  size?: number | undefined
}

export interface GetInclusionProofAnswer {
  /** Index of the entry, from 0 on. */
  index: number
  /** Size of the tree. */
  size: number
  /** RFC 6962 hash of the leaf, in base64. */
  leaf_hash: string
  /** Root hash of the tree, in base64. */
  root_hash: string
  /** Hashes from the leaf up, in the order of RFC 6962. */
  proof: string[]
}

export interface GetConsistencyProofInput {
  /** Size of the older tree. At most `to`. */
  from: number
  /** Size of the newer tree. The size of the newest checkpoint by default. */
  to?: number | undefined
}

export interface GetConsistencyProofAnswer {
  /** Size of the older tree. */
  from: number
  /** Size of the newer tree. */
  to: number
  /** Root hash of the older tree, in base64. */
  from_root_hash: string
  /** Root hash of the newer tree, in base64. */
  to_root_hash: string
  /** Hashes from the leaf up, in the order of RFC 6962. */
  proof: string[]
}

export interface ListCheckpointsInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListCheckpointsAnswer {
  /** The entries, newest first. */
  data: {
    /** Size of the log. */
    size: number
    /** Root hash of the log, in base64. */
    root_hash: string
    /** When the checkpoint was signed. */
    signed_at: string
    /** The signed note. */
    note: string
  }[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export type ListWitnessesInput = Record<string, never>

export interface ListWitnessesAnswer {
  /** The witnesses, in the order of the settings. */
  data: WitnessStatus[]
  /** How many cosignatures a checkpoint needs before it is published. */
  quorum: number
  /** How many witnesses cosigned the newest checkpoint. */
  cosigned: number
  /** Size of the newest checkpoint. */
  checkpoint_size?: number
  /** When the newest checkpoint was signed. */
  checkpoint_signed_at?: string
  /** Number of entries in the log now. */
  log_size: number
}

export interface ListEventsInput {
  /** Only events after this one: `next_cursor` of the page before, or the number in the `id` of the last event that you handled. It is the log index, unless the service was restored from a backup. -1 starts with the first. */
  after?: number | undefined
  /** Without `after`: begin this many log entries before the end of the log. */
  last?: number | undefined
  /** Maximum number of events in a page. 50 by default. */
  limit?: number | undefined
  /** Seconds to wait for an event while there is none. 0 by default. Only for pages. */
  wait?: number | undefined
  /** Only events of this type. Repeat it for several. */
  type?:
    | (
        | 'token.issued'
        | 'token.delegated'
        | 'token.renewed'
        | 'token.revoked'
        | 'token.suspended'
        | 'token.resumed'
        | 'action.authorized'
        | 'action.denied'
        | 'action.completed'
        | 'action.cancelled'
        | 'action.expired'
        | 'action.rated'
        | 'approval.requested'
        | 'approval.endorsed'
        | 'approval.escalated'
        | 'approval.decided'
        | 'approval.grant_ended'
        | 'approval.habit_ended'
        | 'budget.threshold'
        | 'budget.exhausted'
        | 'agent.registered'
        | 'agent.suspended'
        | 'agent.resumed'
        | 'agent.revoked'
        | 'human.revoked'
        | 'human.refused'
        | 'human.accepted'
        | 'human.erased'
        | 'vouch.created'
        | 'vouch.changed'
        | 'vouch.withdrawn'
        | 'anchor.named'
        | 'anchor.removed'
        | 'alert.fired'
        | 'verification.completed'
        | 'session.begun'
        | 'session.ended'
        | 'key.rotated'
        | 'key.withdrawn'
        | 'access.changed'
        | 'deployment.restored'
        | 'webhook.disabled'
        | 'registry.changed'
      )[]
    | undefined
  /** Only events about this agent. */
  agent_id?: string | undefined
  /** Only events of this workflow. */
  provenance_ref?: string | undefined
  /** Only events about this token and what was done with it. */
  vat_jti?: string | undefined
  /** cloudevents: each event in the structured JSON form of CloudEvents 1.0. ocsf: each event as a row of OCSF 1.8, for a SIEM. */
  format?: 'deputy' | 'cloudevents' | 'ocsf' | undefined
}

export interface ListEventsAnswer {
  /** The events, oldest first. */
  data: (DeputyEvent | CloudEvent | Record<string, unknown>)[]
  /** Pass as `after` to continue from here. Also present when there are no more events yet. */
  next_cursor: number
  /** Whether the log continues after this page. */
  has_more: boolean
}

export interface CreateWebhookInput {
  /** Where events are sent with POST: an https address on the public internet, port 443 or 8443. Private addresses, other ports and plain http need an entry in DEPUTY_OUTBOUND_ALLOW. */
  url: string
  /** What the webhook is for. */
  description?: string | undefined
  /** The types of events to send. `["*"]` by default. */
  events?:
    | (
        | '*'
        | 'token.issued'
        | 'token.delegated'
        | 'token.renewed'
        | 'token.revoked'
        | 'token.suspended'
        | 'token.resumed'
        | 'action.authorized'
        | 'action.denied'
        | 'action.completed'
        | 'action.cancelled'
        | 'action.expired'
        | 'action.rated'
        | 'approval.requested'
        | 'approval.endorsed'
        | 'approval.escalated'
        | 'approval.decided'
        | 'approval.grant_ended'
        | 'approval.habit_ended'
        | 'budget.threshold'
        | 'budget.exhausted'
        | 'agent.registered'
        | 'agent.suspended'
        | 'agent.resumed'
        | 'agent.revoked'
        | 'human.revoked'
        | 'human.refused'
        | 'human.accepted'
        | 'human.erased'
        | 'vouch.created'
        | 'vouch.changed'
        | 'vouch.withdrawn'
        | 'anchor.named'
        | 'anchor.removed'
        | 'alert.fired'
        | 'verification.completed'
        | 'session.begun'
        | 'session.ended'
        | 'key.rotated'
        | 'key.withdrawn'
        | 'access.changed'
        | 'deployment.restored'
        | 'webhook.disabled'
        | 'registry.changed'
      )[]
    | undefined
  /** How the body is written: as an event of this API, as CloudEvents 1.0 in structured mode, or as a row of OCSF. */
  format?: 'deputy' | 'cloudevents' | 'ocsf' | undefined
  /** Only events of this agent. */
  agent_id?: string | undefined
  /** Only events of this workflow. */
  provenance_ref?: string | undefined
  /** How messages are signed: v1 (HMAC) by default, or v1a (Ed25519). */
  signature?: 'v1' | 'v1a' | undefined
}

export type CreateWebhookAnswer = CreatedWebhook

export interface ListWebhooksInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListWebhooksAnswer {
  /** The entries, newest first. */
  data: Webhook[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
}

export type GetWebhookAnswer = Webhook

export interface UpdateWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Where events are sent with POST: an https address on the public internet, port 443 or 8443. Private addresses, other ports and plain http need an entry in DEPUTY_OUTBOUND_ALLOW. */
  url?: string | undefined
  /** What the webhook is for. null removes it. */
  description?: string | null | undefined
  /** The types of events to send. `["*"]` by default. */
  events?:
    | (
        | '*'
        | 'token.issued'
        | 'token.delegated'
        | 'token.renewed'
        | 'token.revoked'
        | 'token.suspended'
        | 'token.resumed'
        | 'action.authorized'
        | 'action.denied'
        | 'action.completed'
        | 'action.cancelled'
        | 'action.expired'
        | 'action.rated'
        | 'approval.requested'
        | 'approval.endorsed'
        | 'approval.escalated'
        | 'approval.decided'
        | 'approval.grant_ended'
        | 'approval.habit_ended'
        | 'budget.threshold'
        | 'budget.exhausted'
        | 'agent.registered'
        | 'agent.suspended'
        | 'agent.resumed'
        | 'agent.revoked'
        | 'human.revoked'
        | 'human.refused'
        | 'human.accepted'
        | 'human.erased'
        | 'vouch.created'
        | 'vouch.changed'
        | 'vouch.withdrawn'
        | 'anchor.named'
        | 'anchor.removed'
        | 'alert.fired'
        | 'verification.completed'
        | 'session.begun'
        | 'session.ended'
        | 'key.rotated'
        | 'key.withdrawn'
        | 'access.changed'
        | 'deployment.restored'
        | 'webhook.disabled'
        | 'registry.changed'
      )[]
    | undefined
  /** How the body is written: as an event of this API, as CloudEvents 1.0 in structured mode, or as a row of OCSF. */
  format?: 'deputy' | 'cloudevents' | 'ocsf' | undefined
}

export type UpdateWebhookAnswer = Webhook

export interface DeleteWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
}

export interface DeleteWebhookAnswer {
  /** Always true. */
  deleted: boolean
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
}

export interface RotateWebhookSecretInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Seconds for which the old key signs too. One day by default. */
  overlap_s?: number | undefined
}

export type RotateWebhookSecretAnswer = CreatedWebhook

export interface EnableWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
}

export type EnableWebhookAnswer = Webhook

export interface TestWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
}

export interface TestWebhookAnswer {
  /** Whether the receiver answered 2xx within 15 seconds. */
  delivered: boolean
  /** ID of the test event. */
  event_id: string
  /** HTTP status of the answer. */
  status?: number
  /** Why it failed. */
  error?: string
  /** The first 1 KB of the answer. */
  answer?: string
  /** How long it took, in milliseconds. */
  took_ms: number
}

export interface ListWebhookDeliveriesInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Only deliveries in this state. */
  state?: 'waiting' | 'delivered' | 'failed' | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListWebhookDeliveriesAnswer {
  /** The entries, newest first. */
  data: WebhookDelivery[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface RetryWebhookDeliveryInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Event ID: evt_ and its number, which is the index of its log entry unless the service was restored from a backup. */
  event_id: string
}

export type RetryWebhookDeliveryAnswer = WebhookDelivery

export interface ReplayWebhookInput {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** The first log index to send again. */
  from_index: number
}

export type ReplayWebhookAnswer = Webhook

export interface RevokeHumanInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
  /** Why the token is revoked, in your own words. */
  reason?: string | undefined
  /** Also refuse new tokens in the name of the person. */
  refuse_new?: boolean | undefined
}

export interface RevokeHumanAnswer {
  /** Always true. */
  revoked: boolean
  /** When the tokens were revoked. */
  revoked_at: string
  /** Number of live tokens that this call revoked. */
  revoked_count: number
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
}

export interface RefuseTokensInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export type RefuseTokensAnswer = Acceptance

export interface AcceptTokensInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export type AcceptTokensAnswer = Acceptance

export interface ListHumansInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListHumansAnswer {
  /** The entries, newest first. */
  data: ListedPerson[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetHumanInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface GetHumanAnswer {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Assurance levels of the tokens. */
  assurance_levels: ('L1' | 'L2' | 'L3')[]
  /** Tokens of the person. */
  tokens: number
  /** Tokens that are neither expired nor revoked themselves. */
  live_tokens: number
  /** Workflows of the person. */
  workflows: number
  /** When the first token was issued. */
  first_seen_at?: string
  /** When the person was erased. */
  erased_at?: string
  /** Since when the person refuses new tokens in their name. */
  refused_at?: string
}

export interface ExportHumanInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface EraseHumanInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface EraseHumanAnswer {
  /** Always true. */
  erased: boolean
  /** Whether the person was erased before. */
  already_erased: boolean
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** When the person was erased. */
  erased_at: string
  /** Number of live tokens that this call revoked. */
  revoked_count: number
}

export type GetMeInput = Record<string, never>

export interface GetMeAnswer {
  /** Role of the caller. `local` in open mode, where every program may call everything. */
  role: 'local' | 'operator' | 'developer' | 'human' | 'agent' | 'resource_server' | 'auditor' | 'safety'
  /** Tenant of the person. */
  tenant_id: string
  /** Name to show: that of the key, or the ID of the agent or person. */
  name: string
  /** IDs of the operations that this role may call. A call about a particular thing can still be refused. */
  operations: string[]
  /** The API key of the caller. */
  key_id?: string
  /** Send it in the header Deputy-CSRF with every change that you make in this session. */
  csrf_token?: string
  /** The session of the caller. It is not secret. */
  session_id?: string
  /** When the session expires unless it is used, or at the latest. */
  session_expires_at?: string
  /** Keyed hash that identifies the person. */
  human_ref?: string
  /** Every `human_ref` of the person. */
  human_refs?: string[]
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level?: 'L1' | 'L2' | 'L3'
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  /** When the person signed in. */
  auth_time?: string
  /** Passkeys of the person that are accepted. */
  passkeys?: number
}

export interface SignInWithKeyInput {
  /** The API key. Starts with dk_. */
  key: string
}

export interface SignInWithKeyAnswer {
  /** Role of the key. */
  role: 'operator' | 'developer' | 'auditor'
  /** Tenant of the key. */
  tenant_id: string
  /** The API key. */
  key_id: string
  /** The session. It is not secret. */
  session_id: string
  /** Send it in the header Deputy-CSRF with every change that you make in this session. */
  csrf_token: string
  /** When the session expires unless it is used. */
  expires_at: string
}

export interface ListSignInsInput {
  /** Only this person, by any `human_ref` of theirs. */
  human_ref?: string | undefined
}

export interface ListSignInsAnswer {
  /** The sessions. */
  data: SignIn[]
}

export interface EndSignInInput {
  /** The session. */
  session_id: string
}

export interface EndSignInAnswer {
  /** Always true. */
  ended: boolean
  /** The session. */
  session_id: string
}

export interface LogOutInput {
  /** Also end every other session of the person or the key. */
  everywhere?: boolean | undefined
}

export interface LogOutAnswer {
  /** Always true. */
  signed_out: boolean
}

export interface GetStatsInput {
  /** Start, rounded down to a full bucket. 24 hours before `to` by default. */
  from?: string | undefined
  /** End. The bucket that contains it is included. Now by default. */
  to?: string | undefined
  /** Length of one bucket. `all` adds up the whole time, in full days. hour by default; at most 1,500 buckets. */
  bucket?: 'minute' | 'hour' | 'day' | 'all' | undefined
  /** Group the counts. `action,resource` gives one group for each pair. `tenant` shows all tenants to operators and auditors of the tenant `default`. */
  group_by?: 'agent' | 'action' | 'resource' | 'action,resource' | 'reason' | 'tenant' | undefined
  /** Only this agent. */
  agent_id?: string | undefined
  /** Only this action. */
  action?: string | undefined
  /** Only this resource. */
  resource?: string | undefined
  /** How many groups to show, the busiest first. 20 by default. */
  limit?: number | undefined
}

export interface GetStatsAnswer {
  /** Where the first bucket begins. */
  from: string
  /** Where the last bucket ends. */
  to: string
  /** Length of one bucket. */
  bucket: 'minute' | 'hour' | 'day' | 'all'
  /** What the counts are grouped by. */
  group_by?: 'agent' | 'action' | 'resource' | 'action,resource' | 'reason' | 'tenant'
  /** Everything in the answer, added up. */
  totals: StatsCounts
  /** Whether there are more groups than shown. They are added up as `other`. */
  truncated: boolean
  /** In the order of time; within a bucket the busiest group first. */
  data: StatsRow[]
}

export interface ListAlertsInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListAlertsAnswer {
  /** The entries, newest first. */
  data: Alert[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface CreateAlertRuleInput {
  /** What to call the rule. */
  name: string
  /** When the rule fires. A condition has exactly the members of its kind. */
  condition: AlertCondition
  /** notify: only an event and an entry in the list of alerts. ask: every action of the agent, and of agents it delegated to, needs the approval of a person for `ask_minutes`. suspend: the agent is suspended until a person or an operator resumes it. */
  effect: 'notify' | 'ask' | 'suspend'
  /** Only this agent. Every agent of the tenant by default. */
  agent_id?: string | undefined
  /** The rule fires at most once for each agent in each window of this many minutes. 60 by default. */
  window_minutes?: number | undefined
  /** How long the agent has to ask. 60 by default. */
  ask_minutes?: number | undefined
  /** Whether the rule is evaluated. true by default. */
  enabled?: boolean | undefined
}

export type CreateAlertRuleAnswer = AlertRule

export interface ListAlertRulesInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListAlertRulesAnswer {
  /** The entries, newest first. */
  data: AlertRule[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export type SuggestAlertRulesInput = Record<string, never>

export interface SuggestAlertRulesAnswer {
  /** The rules that were created. */
  data: AlertRule[]
}

export interface DryRunAlertRuleInput {
  /** When the rule fires. A condition has exactly the members of its kind. */
  condition: AlertCondition
  /** Only this agent. Every agent of the tenant by default. */
  agent_id?: string | undefined
  /** The rule fires at most once for each agent in each window of this many minutes. 60 by default. */
  window_minutes?: number | undefined
  /** Start. 7 days ago by default, which is as far as it goes. */
  from?: string | undefined
}

export interface DryRunAlertRuleAnswer {
  /** When the time range begins. */
  from: string
  /** Where it ends: now. */
  to: string
  /** How often the rule would have fired. */
  count: number
  /** Whether `data` shows fewer, or there are more agents than one response considers. */
  truncated: boolean
  /** At most 100, in the order of time. */
  data: AlertFiring[]
}

export interface GetAlertRuleInput {
  /** Rule ID. Starts with alr_. */
  rule_id: string
}

export type GetAlertRuleAnswer = AlertRule

export interface UpdateAlertRuleInput {
  /** Rule ID. Starts with alr_. */
  rule_id: string
  /** What to call the rule. */
  name?: string | undefined
  /** When the rule fires. A condition has exactly the members of its kind. */
  condition?: AlertCondition | undefined
  /** notify: only an event and an entry in the list of alerts. ask: every action of the agent, and of agents it delegated to, needs the approval of a person for `ask_minutes`. suspend: the agent is suspended until a person or an operator resumes it. */
  effect?: 'notify' | 'ask' | 'suspend' | undefined
  /** The rule fires at most once for each agent in each window of this many minutes. 60 by default. */
  window_minutes?: number | undefined
  /** How long the agent has to ask. 60 by default. */
  ask_minutes?: number | undefined
  /** Whether the rule is evaluated. true by default. */
  enabled?: boolean | undefined
}

export type UpdateAlertRuleAnswer = AlertRule

export interface DeleteAlertRuleInput {
  /** Rule ID. Starts with alr_. */
  rule_id: string
}

export interface DeleteAlertRuleAnswer {
  /** The rule is gone. */
  deleted: true
  /** Rule ID. Starts with alr_. */
  rule_id: string
}

export type GetNotificationsInput = Record<string, never>

export type GetNotificationsAnswer = Notifications

export interface SetNotificationsInput {
  /** IANA name of the time zone in which messages give times. UTC by default. */
  time_zone?: string | undefined
  /** Hours in which nothing is sent. Messages that wait are sent together when they end. Urgent alerts are always sent. */
  quiet_hours?: QuietHours | undefined
}

export type SetNotificationsAnswer = Notifications

export interface AddChannelInput {
  /** How messages travel. */
  kind: 'email' | 'push' | 'slack' | 'teams' | 'webhook'
  /** Name of the channel. Its kind by default. */
  name?: string | undefined
  /** What the channel carries. `questions`: an approval request is waiting. `alerts`: an alert fired. `suspensions`: an agent was suspended. `webhooks`: a webhook was disabled (channels of a tenant only). Everything by default. */
  about?: ('questions' | 'alerts' | 'suspensions' | 'webhooks')[] | undefined
  /** `email`: the address. */
  address?: string | undefined
  /** `slack`, `teams`, `webhook`: the address that messages are posted to. It is stored encrypted and not shown again. */
  url?: string | undefined
  /** `push`: what `PushSubscription.toJSON()` gives, without `expirationTime`. */
  subscription?: PushSubscription | undefined
}

export interface AddChannelAnswer {
  /** ID of a channel. */
  channel_id: string
  /** How messages travel. */
  kind: 'email' | 'push' | 'slack' | 'teams' | 'webhook'
  /** Name of the channel. */
  name: string
  /** An unconfirmed channel carries nothing until its code was sent back. */
  state: 'active' | 'unconfirmed'
  /** What the channel carries. `questions`: an approval request is waiting. `alerts`: an alert fired. `suspensions`: an agent was suspended. `webhooks`: a webhook was disabled (channels of a tenant only). */
  about: ('questions' | 'alerts' | 'suspensions' | 'webhooks')[]
  /** Where it leads: the email address, or the host of the address. Secrets are not shown. */
  target: string
  /** When it was added. */
  created_at: string
  /** When the receiver last took a message or a test. */
  last_sent_at?: string
  /** The last attempt, if it failed. It is retried automatically while something is waiting. */
  last_failure?: ChannelFailure
  /** The last 20 attempts, the newest first. */
  attempts?: ChannelAttempt[]
  /** `webhook`: the secret that signs messages (Standard Webhooks), shown once. */
  secret?: string
}

export interface ConfirmChannelInput {
  /** ID of a channel. */
  channel_id: string
  /** The code from the email. */
  code: string
}

export type ConfirmChannelAnswer = Channel

export interface TestChannelInput {
  /** ID of a channel. */
  channel_id: string
}

export interface TestChannelAnswer {
  /** Whether the receiver took the message. */
  sent: boolean
  /** What went wrong. */
  detail?: string
}

export interface RemoveChannelInput {
  /** ID of a channel. */
  channel_id: string
}

export interface RemoveChannelAnswer {
  /** Always true. */
  removed: boolean
}

export interface VouchInput {
  /** The person who vouches, by `human_ref`. Required in open mode. In keyed mode it is the signed-in person, and if you send it, it must be one of their refs. */
  from?: string | undefined
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  to: string
  /** How much of their word the person gives, from 0.01 to 1. 1 by default. */
  weight?: number | undefined
  /** What the vouch is about. Without a context it counts for every context. */
  context?: string | undefined
  /** Why, in your own words. Stored encrypted. Erased with the person who vouches, and with the person it is about. */
  note?: string | undefined
  /** When the vouch stops to count. It must be in the future. */
  expires_at?: string | undefined
}

export type VouchAnswer = Vouch

export interface ListVouchesInput {
  /** Only vouches of this person. */
  from?: string | undefined
  /** Only vouches for this person or agent. */
  to?: string | undefined
  /** Only vouches of exactly this context. */
  context?: string | undefined
  /** Only vouches that count now. */
  standing?: 'true' | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListVouchesAnswer {
  /** The entries, newest first. */
  data: Vouch[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetVouchInput {
  /** Vouch ID. Starts with vch_. */
  vouch_id: string
}

export type GetVouchAnswer = Vouch

export interface UpdateVouchInput {
  /** Vouch ID. Starts with vch_. */
  vouch_id: string
  /** How much of their word a person gives, from 0.01 to 1. Rounded to 6 decimals. */
  weight?: number | undefined
  /** When the vouch stops to count. It must be in the future. Null removes the end. */
  expires_at?: string | null | undefined
}

export type UpdateVouchAnswer = Vouch

export interface WithdrawVouchInput {
  /** Vouch ID. Starts with vch_. */
  vouch_id: string
}

export type WithdrawVouchAnswer = Vouch

export interface GetVouchScoreInput {
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  subject: string
  /** Count the vouches of this context and those without one. Without it, only vouches without a context count. */
  context?: string | undefined
  /** Take this person as the only anchor, by `human_ref`: how much do they trust the subject? */
  as?: string | undefined
  /** Compute the score for the log at this size. The current size by default. */
  at?: number | undefined
  /** Also return `paths` and `cut`. */
  explain?: '1' | 'true' | undefined
}

export interface GetVouchScoreAnswer {
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  subject: string
  /** The flow f as a score: f / (f + 1), rounded down to 6 decimals. */
  score: number
  /** In full words, with 6 decimals: 1 is the whole word of one perfect verified person. */
  flow: number
  /** Anchors that were considered. */
  anchors: number
  /** Vouches that were considered. */
  vouches: number
  /** Whether there were more vouches than one response considers. The flow is then a lower bound. */
  truncated: boolean
  /** What a vouch is about, such as payments: 1 to 32 lower-case letters, digits, _ and -. */
  context?: string
  /** The only anchor, if you named one. */
  as?: string
  /** The state of the log that the response is computed from. */
  as_of: AsOf
  /** Present if the caller is a person: vouches and people are named only if the caller is one end of the vouch. For their own score and those of agents they own, everyone is named. */
  withheld?: boolean
  /** How the flow reaches the subject, largest first. */
  paths?: TrustPath[]
  /** What limits the flow: every path passes one of these. */
  cut?: CutPart[]
}

export interface FindTrustPathsInput {
  /** Where the paths begin, by `human_ref`. */
  from: string
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  to: string
  /** Count the vouches of this context and those without one. Without it, only vouches without a context count. */
  context?: string | undefined
}

export interface FindTrustPathsAnswer {
  /** Keyed hash that identifies the person behind the token. */
  from: string
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  to: string
  /** Total flow of all paths. */
  flow: number
  /** Whether there were more vouches than one response considers. The flow is then a lower bound. */
  truncated: boolean
  /** The state of the log that the response is computed from. */
  as_of: AsOf
  /** Present if the caller is a person: vouches and people are named only if the caller is one end of the vouch. For their own score and those of agents they own, everyone is named. */
  withheld?: boolean
  /** The ways, the widest first. */
  paths: TrustPath[]
}

export interface GetTrustGraphInput {
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  around: string
  /** How many steps away. 2 by default. */
  depth?: number | undefined
}

export interface GetTrustGraphAnswer {
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  around: string
  /** The state of the log that the response is computed from. */
  as_of: AsOf
  /** Present if the caller is a person: vouches and people are named only if the caller is one end of the vouch. For their own score and those of agents they own, everyone is named. */
  withheld?: boolean
  /** People and agents, the nearest first, at most 500. */
  nodes: TrustNode[]
  /** Standing vouches between the nodes. */
  edges: TrustEdge[]
  /** Whether there is more than one response shows. */
  truncated: boolean
}

export interface RankByVouchesInput {
  /** Count the vouches of this context and those without one. Without it, only vouches without a context count. */
  context?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
}

export interface RankByVouchesAnswer {
  /** The state of the log that the response is computed from. */
  as_of: AsOf
  /** Whether there are more agents than one ranking considers. */
  truncated: boolean
  /** The agents, the highest score first. */
  data: RankedAgent[]
}

export interface NameAnchorInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
  /** The anchor's own weight, from 0 to 0.95. It replaces what verification gives (0.7 at L2, 0.95 at L3): with 0, a verified person is not an anchor, and stays out after an erasure until an operator removes the entry. */
  base: number
  /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
  reason: string
}

export type NameAnchorAnswer = Anchor

export interface RemoveAnchorInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface RemoveAnchorAnswer {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Whether an operator had named the person. */
  removed: boolean
}

export interface ListAnchorsInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListAnchorsAnswer {
  /** The entries, newest first. */
  data: Anchor[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface StartLoginInput {
  /** The provider to sign in with. Required if several are configured. */
  provider?: string | undefined
  /** Path of this service that the browser opens afterwards, such as /docs: printable ASCII without spaces or backslashes, in normalized URL form. */
  return_to?: string | undefined
  /** The agent that the token will be for. */
  agent_id?: string | undefined
  /** Resources that the token may cover. */
  resources?: string[] | undefined
  /** Actions that the token may allow. */
  actions?: string[] | undefined
  /** Limits that the person sees and that the token will at least have. Without a budget the page warns the person. */
  constraints?: Constraints | undefined
  /** Longest lifetime of the token in seconds. Eight hours by default, at most one day. */
  expires_in?: number | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
}

export interface StartLoginAnswer {
  /** Sign-in ID, as returned by the start call. Starts with lgn_. */
  login_id: string
  /** Address to open in a browser. */
  authorization_url: string
  /** When the sign-in expires. */
  expires_at: string
}

export interface GetLoginInput {
  /** Sign-in ID, as returned by the start call. Starts with lgn_. */
  id: string
}

export interface GetLoginAnswer {
  /** Sign-in ID, as returned by the start call. Starts with lgn_. */
  login_id: string
  /** pending: waiting for the person. finished: ready for one token. failed: see `reason`. used: a token was issued. */
  status: 'pending' | 'finished' | 'failed' | 'used'
  /** Why the sign-in failed. */
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
    | 'auth_time'
    | 'group_missing'
  /** When the sign-in expires. */
  expires_at: string
}

export type ListProvidersInput = Record<string, never>

export interface ListProvidersAnswer {
  /** The configured providers. */
  data: Provider[]
}

export type BeginPasskeyInput = Record<string, never>

export interface BeginPasskeyAnswer {
  /** Options for the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** When the challenge expires. */
  expires_at: string
}

export interface FinishPasskeyInput {
  /** The result of `navigator.credentials.create()` as JSON (WebAuthn Level 3). */
  response: RegistrationResponse
  /** Name that its owner gives the passkey. */
  name?: string | undefined
}

export type FinishPasskeyAnswer = Passkey

export type BeginPasskeyLoginInput = Record<string, never>

export interface BeginPasskeyLoginAnswer {
  /** Options for the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** When the challenge expires. */
  expires_at: string
}

export interface FinishPasskeyLoginInput {
  /** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
  response: AssertionResponse
}

export interface FinishPasskeyLoginAnswer {
  /** Tenant of the person. */
  tenant_id: string
  /** Keyed hash that identifies the person. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** How the person signed in (RFC 8176). */
  amr: string[]
  /** Send it in the header Deputy-CSRF with every change that you make in this session. */
  csrf_token: string
  /** When the session expires. */
  expires_at: string
}

export interface ListPasskeysInput {
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListPasskeysAnswer {
  /** The entries, newest first. */
  data: Passkey[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface DeletePasskeyInput {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  id: string
}

export interface DeletePasskeyAnswer {
  /** Always true. */
  deleted: boolean
  /** Credential ID of the passkey, in base64url. It is not secret. */
  passkey_id: string
}

export type BeginKeyPasskeyInput = Record<string, never>

export interface BeginKeyPasskeyAnswer {
  /** Options for the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** When the challenge expires. */
  expires_at: string
}

export interface FinishKeyPasskeyInput {
  /** The result of `navigator.credentials.create()` as JSON (WebAuthn Level 3). */
  response: RegistrationResponse
  /** Name that its owner gives the passkey. */
  name?: string | undefined
}

export type FinishKeyPasskeyAnswer = KeyPasskey

export interface SignInWithPasskeyInput {
  /** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
  response: AssertionResponse
}

export interface SignInWithPasskeyAnswer {
  /** Role of the key. */
  role: 'operator' | 'developer' | 'auditor'
  /** Tenant of the key. */
  tenant_id: string
  /** The API key. */
  key_id: string
  /** The session. It is not secret. */
  session_id: string
  /** Send it in the header Deputy-CSRF with every change that you make in this session. */
  csrf_token: string
  /** When the session expires unless it is used. */
  expires_at: string
}

export type ListKeyPasskeysInput = Record<string, never>

export interface ListKeyPasskeysAnswer {
  /** The passkeys, newest first. */
  data: KeyPasskey[]
}

export interface DeleteKeyPasskeyInput {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  id: string
}

export interface DeleteKeyPasskeyAnswer {
  /** Always true. */
  deleted: boolean
  /** Credential ID of the passkey, in base64url. It is not secret. */
  passkey_id: string
}

export interface BeginStepUpInput {
  /** Operation ID of the call. Only operations that a tenant can require a passkey for. */
  operation: string
  /** Path parameters of the call. */
  params?: Record<string, unknown> | undefined
  /** Query parameters of the call. */
  query?: Record<string, unknown> | undefined
  /** Body of the call. */
  body?: Record<string, unknown> | undefined
}

export interface BeginStepUpAnswer {
  /** Options for the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** The text whose digest is the challenge. */
  bound_text: string
  /** Sentences that say what the person confirms. */
  words: string[]
  /** When the challenge expires. */
  expires_at: string
}

export interface FinishStepUpInput {
  /** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
  response: AssertionResponse
}

export interface FinishStepUpAnswer {
  /** The grant, for the header Deputy-Step-Up. */
  grant: string
  /** When the grant expires. */
  expires_at: string
}

export type GetConsentInput = Record<string, never>

export interface GetConsentAnswer {
  /** Version to send in `consent.version`. */
  version: string
  /** SHA-256 digest of version and texts, as canonical JSON (RFC 8785). */
  text_hash: string
  /** The text in each language. The person sees one of them. */
  texts: {
    /** The text in English. */
    en: string
    /** The text in German. */
    de: string
  }
  /** Days that a template is kept. */
  retention_days: number
}

export interface GetBiometricsInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface GetBiometricsAnswer {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Whether a template is stored that counts. The other members are present only then. */
  enrolled: boolean
  /** When the person first enrolled. */
  enrolled_at?: string
  /** When they last enrolled again. */
  replaced_at?: string
  /** When the template is deleted. */
  retention_until?: string
  /** What a person agreed to, and when. */
  consent?: BiometricConsent
  /** Version of the engine that made the template. */
  engine_version?: string
  /** Whether the template describes the voice, too. */
  has_voice?: boolean
}

export interface ExportBiometricsInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface ExportBiometricsAnswer {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** When this export was made. */
  exported_at: string
  /** Whether a template is stored that counts. */
  enrolled: boolean
  /** When the person first enrolled. */
  enrolled_at?: string
  /** When they last enrolled again. */
  replaced_at?: string
  /** When the template is deleted. */
  retention_until?: string
  /** What a person agreed to, and when. */
  consent?: BiometricConsent
  /** Version of the engine that made the template. */
  engine_version?: string
  /** Whether the template describes the voice, too. */
  has_voice?: boolean
  /** The template, as it is compared with a capture. */
  template?: Record<string, unknown>
  /** The newest verifications, newest first. */
  verifications: Record<string, unknown>[]
}

export interface DeleteBiometricsInput {
  /** The person, by the `human_ref` of one of their tokens or records. */
  human_ref: string
}

export interface DeleteBiometricsAnswer {
  /** Always true. */
  deleted: boolean
  /** Whether no template was stored. */
  already_deleted: boolean
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Number of live tokens that this call revoked. */
  revoked_count: number
  /** Verification sessions that were open. */
  cancelled_sessions: number
}

export interface CreateVerificationSessionInput {
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** The person, by any `human_ref` of theirs in your tenant. Required to verify, unless `developer_email` is sent. */
  human_ref?: string | undefined
  /** Email address of the person, as for an L1 token. Not together with `human_ref`. */
  developer_email?: string | undefined
  /** Steps that the person cannot do. A passkey takes their place. */
  accommodations?: ('no_voice' | 'no_hand' | 'no_flash')[] | undefined
  /** Language of the prompts. English by default. */
  locale?: 'en' | 'de' | undefined
  /** What the person accepted (GET /v1/vat/auth/consent). Required to enroll, and to verify a person who accepted another text. */
  consent?:
    | {
        /** Version of the consent text that the person accepted. */
        version: string
      }
    | undefined
}

export interface CreateVerificationSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** When the session expires. */
  expires_at: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref?: string
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** How the device should record. */
  capture: CaptureSettings
  /** Steps of the session. */
  steps_total: number
  /** One task of a capture. It is revealed when the one before is answered. */
  step: CaptureStep
  /** Whether finishing needs a passkey. */
  passkey_required: boolean
  /** Failed attempts that remain before verification is locked for a while. */
  attempts_left: number
}

export interface AnswerStepInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** ID of the step. */
  step_id: string
  /** The frames, in the order in which they were taken. */
  frames: CapturedFrame[]
  /** The sound of a step. */
  audio?: CapturedSound | undefined
  /** What the device says about its camera. A hint only. */
  device?: CaptureDevice | undefined
}

export interface AnswerStepAnswer {
  /** Whether the recording is good enough to be judged. */
  accepted: boolean
  /** Why it is not. Empty when accepted. */
  reasons: StepReason[]
  /** The next step, or the same kind again. Absent after the last. */
  step?: CaptureStep
  /** Steps that have been answered. */
  steps_done: number
  /** Steps of the session. */
  steps_total: number
  /** SHA-256 digest of the recording, in hex. A passkey signs it. */
  media_digest: string
}

export interface BeginSessionPasskeyInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** The agent that gets a token. */
  agent_id?: string | undefined
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources?: string[] | undefined
  /** Actions that the token allows on each of these resources. */
  actions?: string[] | undefined
  /** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds. One hour by default, at most eight hours. An L3 token ends at most eight hours after the verification, and at most as long after it as its policies allow, even if that is sooner. */
  expires_in?: number | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
  /** The approval that this verification is for, where the tenant requires a face verification. It counts for no other approval. */
  approval_id?: string | undefined
}

export interface BeginSessionPasskeyAnswer {
  /** create: pass the options to navigator.credentials.create(). get: to navigator.credentials.get(). */
  ceremony: 'create' | 'get'
  /** Options for the browser, as JSON (WebAuthn Level 3). */
  options: Record<string, unknown>
  /** The text whose digest is the challenge. */
  bound_text: string
  /** When the challenge expires. */
  expires_at: string
}

export interface GetVerificationSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
}

export interface GetVerificationSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** Keyed hash that identifies the person behind the token. */
  human_ref?: string
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Steps that have been answered. */
  steps_done: number
  /** Steps of the session. */
  steps_total: number
  /** The result, once the session is judged. */
  verification_id?: string
  /** When the session expires. */
  expires_at: string
}

export interface CancelVerificationSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce?: string | undefined
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token?: string | undefined
}

export interface CancelVerificationSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
}

export interface CreateHostedSessionInput {
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** The person, by any `human_ref` of theirs in your tenant. Required to verify, unless `developer_email` is sent. */
  human_ref?: string | undefined
  /** Email address of the person, as for an L1 token. Not together with `human_ref`. */
  developer_email?: string | undefined
  /** The token that the person is asked to confirm. Its members are those of capture. */
  request?: HostedTokenRequest | undefined
  /** The approval that this verification is for, where the tenant requires a face verification. It counts for no other approval. */
  approval_id?: string | undefined
  /** Steps that the person cannot do. A passkey takes their place. */
  accommodations?: ('no_voice' | 'no_hand' | 'no_flash')[] | undefined
  /** Language of the prompts. English by default. */
  locale?: 'en' | 'de' | undefined
  /** Who verifies the person: `builtin`, or a verification provider of the tenant. By default, the one that the tenant has set. */
  provider?: string | undefined
  /** Where the page sends the person afterwards, with `session_id` added to the query and nothing else. An https address, or one on this machine in open mode. */
  return_url?: string | undefined
  /** How long the session waits for a device, in seconds. 900 by default. */
  expires_in?: number | undefined
}

export interface CreateHostedSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token: string
  /** The page that leads the person through the verification. The part after # is a secret that replaces the client token in every call but collect; browsers do not send it to a server. */
  url: string
  /** When the session stops waiting for a device. */
  expires_at: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
}

export interface PreviewHostedSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token?: string | undefined
  /** The code that moves the session to another device. It works once, for two minutes. */
  transfer_code?: string | undefined
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce?: string | undefined
}

export interface PreviewHostedSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** When the session stops waiting for a device. */
  expires_at: string
  /** Language of the prompts. English by default. */
  locale?: 'en' | 'de'
  /** Steps that are left out, whatever the person chooses. */
  accommodations: ('no_voice' | 'no_hand' | 'no_flash')[]
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Who asks. The service knows it from the credential. */
  asked_by: SessionAsker
  /** The token that the person is asked to confirm. `sentences` state all of it. */
  request?: AskedToken
  /** What the person confirms, in plain English: the token, the approval or both. Empty when neither is asked for. */
  sentences: string[]
  /** The consent that opening needs. */
  consent: SessionConsent
  /** Where the person returns to. */
  return_url?: string
}

export interface OpenHostedSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token?: string | undefined
  /** The code that moves the session to another device. It works once, for two minutes. */
  transfer_code?: string | undefined
  /** The nonce of the capture that this device starts again. */
  nonce?: string | undefined
  /** A random secret that the device generates and keeps. If the response is lost, the same call with the same key starts the capture again. From then on, the key also replaces the nonce in preview, open and watch. */
  device_key?: string | undefined
  /** Steps that the person cannot do. A passkey takes their place. */
  accommodations?: ('no_voice' | 'no_hand' | 'no_flash')[] | undefined
  /** Language of the prompts. English by default. */
  locale?: 'en' | 'de' | undefined
  /** What the person accepted (GET /v1/vat/auth/consent). Required to enroll, and to verify a person who accepted another text. */
  consent?:
    | {
        /** Version of the consent text that the person accepted. */
        version: string
      }
    | undefined
}

export interface OpenHostedSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** When the capture expires. */
  expires_at: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** How the device should record. */
  capture?: CaptureSettings
  /** Steps of the session. */
  steps_total: number
  /** The first step. Absent when another provider captures. */
  step?: CaptureStep
  /** The page of the verification provider where the person continues. Absent for `builtin`. */
  redirect_url?: string
  /** For the browser SDK of the verification provider, where it has one. */
  provider_client_token?: string
  /** Whether finishing needs a passkey. */
  passkey_required: boolean
  /** Failed attempts that remain before verification is locked for a while. */
  attempts_left: number
}

export interface TransferHostedSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token: string
}

export interface TransferHostedSessionAnswer {
  /** The code that moves the session to another device. It works once, for two minutes. */
  transfer_code: string
  /** The page that leads the person through the verification. The part after # is a secret that replaces the client token in every call but collect; browsers do not send it to a server. */
  url: string
  /** When the code expires. */
  expires_at: string
  /** Seconds until it expires, for a device whose clock is wrong. */
  expires_in: number
}

export interface WatchHostedSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token?: string | undefined
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce?: string | undefined
  /** The `version` that you have seen. */
  after?: string | undefined
}

export interface WatchHostedSessionAnswer {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers. */
  state: 'waiting' | 'open' | 'judged' | 'cancelled' | 'expired'
  /** Changes whenever anything else here changes. */
  version: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Steps that have been answered. */
  steps_done: number
  /** Steps of the session. */
  steps_total: number
  /** Whether another device has opened it with a code. */
  is_moved: boolean
  /** Whether it can be opened now, for the first time or again. */
  can_open: boolean
  /** How often it can still be opened. */
  openings_left: number
  /** The result, once a capture is judged. */
  verification_id?: string
  /** What the verification provider says, while the session is open. Unless it is pending or review, finish the session (POST /v1/vat/auth/capture). */
  provider_status?: 'pending' | 'pass' | 'fail' | 'review' | 'retry' | 'expired' | 'withdrawn'
  /** pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person. */
  decision?: 'pass' | 'retry' | 'fail' | 'review'
  /** Why it did not pass, in plain words. */
  reasons: string[]
  /** When the session stops waiting for a device. */
  expires_at: string
}

export interface CollectHostedSessionInput {
  /** Verification session ID. Starts with vs_. */
  id: string
  /** The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token. */
  client_token: string
}

export type CollectHostedSessionAnswer = CollectedSession

export interface CaptureInput {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** ID of the step. */
  step_id?: string | undefined
  /** The frames, in the order in which they were taken. */
  frames?: CapturedFrame[] | undefined
  /** The sound of a step. */
  audio?: CapturedSound | undefined
  /** What the device says about its camera. A hint only. */
  device?: CaptureDevice | undefined
  /** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
  passkey?: AssertionResponse | undefined
  /** The agent that gets a token. */
  agent_id?: string | undefined
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources?: string[] | undefined
  /** Actions that the token allows on each of these resources. */
  actions?: string[] | undefined
  /** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
  constraints?: Constraints | undefined
  /** Lifetime in seconds. One hour by default, at most eight hours. An L3 token ends at most eight hours after the verification, and at most as long after it as its policies allow, even if that is sooner. */
  expires_in?: number | undefined
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string | undefined
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown> | undefined
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?:
    | ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
    | undefined
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string | undefined
  /** The approval that this verification is for, where the tenant requires a face verification. It counts for no other approval. */
  approval_id?: string | undefined
}

export type CaptureAnswer = CaptureResult

export interface EnrollInput {
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures. */
  nonce: string
  /** ID of the step. */
  step_id?: string | undefined
  /** The frames, in the order in which they were taken. */
  frames?: CapturedFrame[] | undefined
  /** The sound of a step. */
  audio?: CapturedSound | undefined
  /** What the device says about its camera. A hint only. */
  device?: CaptureDevice | undefined
  /** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
  passkey?: AssertionResponse | undefined
  /** The result of `navigator.credentials.create()` as JSON (WebAuthn Level 3). */
  passkey_registration?: RegistrationResponse | undefined
}

export type EnrollAnswer = EnrollResult

export interface GetVerificationInput {
  /** Verification ID. Starts with vrf_. */
  id: string
}

export type GetVerificationAnswer = Verification

export interface ListVerificationsInput {
  /** Only this person, by their `human_ref`. */
  human_ref?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListVerificationsAnswer {
  /** The entries, newest first. */
  data: Verification[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export type GetEngineInput = Record<string, never>

export type GetEngineAnswer = VerificationEngine

export type InstallEngineInput = Record<string, never>

export type InstallEngineAnswer = VerificationEngine

export interface SetDuressInput {
  /** A word of the list in the guide to duress that you would not say by accident. */
  word?: string | undefined
  /** A hand sign. */
  gesture?: 'thumbs_up' | 'victory' | 'open_palm' | 'point_up' | undefined
  /** Whom to tell. Only the safety desk sees these texts. */
  contacts: string[]
  /** Open mode only: the person. */
  human_ref?: string | undefined
  /** Open mode only: a verification of this person by the built-in engine that passed within the last ten minutes. */
  verification_id?: string | undefined
}

export type SetDuressAnswer = DuressSaved

export interface DeleteDuressInput {
  /** Open mode only: the person. */
  human_ref?: string | undefined
  /** Open mode only: a verification of this person by the built-in engine that passed within the last ten minutes. */
  verification_id?: string | undefined
}

export type DeleteDuressAnswer = DuressSaved

export interface ListDuressAlertsInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListDuressAlertsAnswer {
  /** The entries, newest first. */
  data: DuressAlert[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface ResolveDuressAlertInput {
  /** Verification ID. Starts with vrf_. */
  id: string
  /** What the desk decided. */
  outcome: 'safe' | 'revoke'
  /** Why, in your own words. Stored encrypted and deleted when the person is erased. */
  note?: string | undefined
}

export type ResolveDuressAlertAnswer = DuressAlert

export type GetSsfConfigurationInput = Record<string, never>

export interface GetSsfConfigurationAnswer {
  /** Version of the framework. */
  spec_version: string
  /** The `iss` of the SETs. */
  issuer: string
  /** Where the keys are that sign SETs. */
  jwks_uri: string
  /** Push and poll. */
  delivery_methods_supported: string[]
  /** Where streams are managed. */
  configuration_endpoint: string
  /** Where streams are paused and enabled. */
  status_endpoint: string
  /** Where subjects are added. */
  add_subject_endpoint: string
  /** Where subjects are removed. */
  remove_subject_endpoint: string
  /** Where a verification event is requested. */
  verification_endpoint: string
  /** How callers authenticate. */
  authorization_schemes: Record<string, unknown>[]
  /** A stream begins with all subjects of its tenant. */
  default_subjects: 'ALL'
}

export interface CreateStreamInput {
  /** How SETs reach the receiver. By default it polls. */
  delivery?: StreamDelivery | undefined
  /** Event types that the receiver wants. All that the service supports by default. */
  events_requested?: string[] | undefined
  /** What the stream is for. */
  description?: string | undefined
  /** The `aud` of the SETs. The address that is polled or pushed to by default. */
  aud?: string | undefined
}

export type CreateStreamAnswer = SignalStream

export interface ReadStreamsInput {
  /** Stream ID. Starts with str_. */
  stream_id?: string | undefined
}

export interface UpdateStreamInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** How SETs reach the receiver. By default it polls. */
  delivery?: StreamDelivery | undefined
  /** Event types that the receiver wants. All that the service supports by default. */
  events_requested?: string[] | undefined
  /** What the stream is for. */
  description?: string | undefined
}

export type UpdateStreamAnswer = SignalStream

export interface DeleteStreamInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
}

export interface DeleteStreamAnswer {
  /** Always true. */
  deleted: boolean
  /** Stream ID. Starts with str_. */
  stream_id: string
}

export interface GetStreamStatusInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
}

export type GetStreamStatusAnswer = SignalStreamState

export interface UpdateStreamStatusInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** enabled: SETs are delivered. paused: they are kept until the stream is enabled again. disabled: events in the meantime are not delivered. */
  status: 'enabled' | 'paused' | 'disabled'
  /** Why. */
  reason?: string | undefined
}

export type UpdateStreamStatusAnswer = SignalStreamState

export interface AddStreamSubjectInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** Subject identifier (RFC 9493). Tokens: `{"format": "jwt_id", "iss": …, "jti": …}`. Agents: `{"format": "opaque", "id": "agent:…"}`. People: `{"format": "opaque", "id": "<human_ref>"}`. */
  subject: Record<string, unknown>
  /** Accepted and ignored. */
  verified?: boolean | undefined
}

/** Nothing. */
export type AddStreamSubjectAnswer = Record<string, never>

export interface RemoveStreamSubjectInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** Subject identifier (RFC 9493). Tokens: `{"format": "jwt_id", "iss": …, "jti": …}`. Agents: `{"format": "opaque", "id": "agent:…"}`. People: `{"format": "opaque", "id": "<human_ref>"}`. */
  subject: Record<string, unknown>
}

/** Nothing. */
export type RemoveStreamSubjectAnswer = Record<string, never>

export interface VerifyStreamInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** A value that comes back in the event. */
  state?: string | undefined
}

/** Nothing. */
export type VerifyStreamAnswer = Record<string, never>

export interface PollStreamInput {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** Maximum number of SETs to return. 100 by default; 0 only acknowledges. */
  maxEvents?: number | undefined
  /** Whether to return immediately when there is nothing new. */
  returnImmediately?: boolean | undefined
  /** SETs that you have stored. */
  ack?: string[] | undefined
  /** SETs that you cannot accept. They are not returned again. */
  setErrs?: Record<string, Record<string, unknown>> | undefined
}

export interface PollStreamAnswer {
  /** SETs in compact form, by `jti`. */
  sets: Record<string, string>
  /** Whether there are more. */
  moreAvailable?: boolean
}

export type ListPoliciesInput = Record<string, never>

export interface ListPoliciesAnswer {
  /** The policies. */
  data: {
    /** Name of the policy. */
    name: 'HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3'
    /** Version of the mapping, not of the framework itself. */
    version: string
    /** Title of the policy. */
    title: string
    /** What the policy does not claim. */
    note: string
    /** Number of rules. */
    rule_count: number
  }[]
}

export interface GetPolicyInput {
  /** Name of the policy. */
  name: string
}

export type GetPolicyAnswer = Policy

export interface EvaluatePoliciesInput {
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions: ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
  /** An existing token. Leave out everything else but `policy_assertions`. */
  vat_jti?: string | undefined
  /** Resources of a planned token. Required without `vat_jti`. */
  resources?: string[] | undefined
  /** Actions of a planned token. Required without `vat_jti`. */
  actions?: string[] | undefined
  /** Assurance level of a planned token. L1 by default. */
  assurance_level?: 'L1' | 'L2' | 'L3' | undefined
  /** Lifetime of a planned token in seconds, at most that of its assurance level. The default of the level by default. */
  expires_in?: number | undefined
  /** Whether a planned token would be bound to a key (`agent_jwk`). */
  key_bound?: boolean | undefined
  /** The constraint `min_vouch_score` of a planned token. None by default. */
  min_vouch_score?: number | undefined
}

export interface EvaluatePoliciesAnswer {
  /** Whether every rule of every policy is met. */
  met: boolean
  /** One finding per rule. */
  findings: {
    /** Name of the policy. */
    framework: 'HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3'
    /** Name of the rule within its policy. */
    id: string
    /** The control of the framework that the rule maps to. */
    control: string
    /** The rule, in one sentence. */
    rule: string
    /** Whether the rule is met. */
    met: boolean
    /** What the check found. */
    evidence: string
  }[]
}

export interface CreateTenantInput {
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
  /** Name to show to people. */
  name?: string | undefined
  /** Whether agents may use tokens that are not bound to a key. A thief can use a stolen token of this kind. False by default. */
  allow_bearer?: boolean | undefined
  /** Groups of calls that people must confirm with a fresh passkey. */
  step_up?:
    | ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys' | 'duress' | 'vouch')[]
    | undefined
  /** People, by `human_ref`, who may rate and approve for everyone in the tenant. */
  reviewers?: string[] | undefined
  /** Requests per minute for the whole tenant. Each node counts the calls that it receives. null removes the setting. */
  rate_limit?: number | null | undefined
  /** Who verifies people of the tenant. Without it: `builtin`, and every provider that is configured for the tenant. null removes the setting. */
  verification?: VerificationProviders | null | undefined
  /** What the organization reviews before it happens. The safety desk decides: a credential with the role safety. */
  review?: Review | undefined
  /** Approvals that people confirm with a face. null removes the setting. */
  face_approvals?: FaceApprovals | null | undefined
  /** How messages reach the people of the tenant. null removes the setting. */
  messages?: MessageSettings | null | undefined
  /** Models of authenticators, by AAGUID, that people may register passkeys with. Empty or absent: any. A device states its model itself, without proof. */
  passkey_aaguids?: string[] | undefined
}

export type CreateTenantAnswer = Tenant

export interface ListTenantsInput {
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListTenantsAnswer {
  /** The entries, newest first. */
  data: Tenant[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface GetTenantInput {
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
}

export type GetTenantAnswer = Tenant

export interface UpdateTenantInput {
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
  /** Name to show to people. */
  name?: string | undefined
  /** Whether agents may use tokens that are not bound to a key. A thief can use a stolen token of this kind. False by default. */
  allow_bearer?: boolean | undefined
  /** Groups of calls that people must confirm with a fresh passkey. */
  step_up?:
    | ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys' | 'duress' | 'vouch')[]
    | undefined
  /** People, by `human_ref`, who may rate and approve for everyone in the tenant. */
  reviewers?: string[] | undefined
  /** Requests per minute for the whole tenant. Each node counts the calls that it receives. null removes the setting. */
  rate_limit?: number | null | undefined
  /** Who verifies people of the tenant. Without it: `builtin`, and every provider that is configured for the tenant. null removes the setting. */
  verification?: VerificationProviders | null | undefined
  /** What the organization reviews before it happens. The safety desk decides: a credential with the role safety. */
  review?: Review | undefined
  /** Approvals that people confirm with a face. null removes the setting. */
  face_approvals?: FaceApprovals | null | undefined
  /** How messages reach the people of the tenant. null removes the setting. */
  messages?: MessageSettings | null | undefined
  /** Models of authenticators, by AAGUID, that people may register passkeys with. Empty or absent: any. A device states its model itself, without proof. */
  passkey_aaguids?: string[] | undefined
}

export type UpdateTenantAnswer = Tenant

export interface CreateKeyInput {
  /** What the key is for. */
  name: string
  /** Role of the key. */
  role: 'operator' | 'developer' | 'resource_server' | 'auditor' | 'safety'
  /** Tenant of the key. Your own by default. */
  tenant_id?: string | undefined
  /** The `aud` that tokens must name to be used at this resource server. Required for the role resource_server, not allowed for others. */
  audience?: string | undefined
  /** Lifetime in seconds. Ninety days by default, at most one year. */
  expires_in?: number | undefined
}

export type CreateKeyAnswer = CreatedApiKey

export interface ListKeysInput {
  /** Only this tenant. Your own by default. */
  tenant_id?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListKeysAnswer {
  /** The entries, newest first. */
  data: ApiKey[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export interface DeleteKeyInput {
  /** ID of the API key: the 8 characters after dk_. It is not secret. */
  key_id: string
}

export interface DeleteKeyAnswer {
  /** Always true. */
  deleted: boolean
  /** ID of the API key: the 8 characters after dk_. It is not secret. */
  key_id: string
  /** The webhooks that were disabled because the key had created them or set their address last. */
  disabled_webhooks: string[]
  /** The streams that the key had created and that are still pushed. Delete those that you do not recognize. */
  kept_streams: string[]
}

export interface RotateKeyInput {
  /** ID of the API key: the 8 characters after dk_. It is not secret. */
  key_id: string
  /** Seconds for which the old key keeps working. One day by default. */
  overlap_s?: number | undefined
  /** Lifetime in seconds. Ninety days by default, at most one year. */
  expires_in?: number | undefined
}

export type RotateKeyAnswer = CreatedApiKey

export interface SetUpInput {
  /** The setup secret. Starts with dsu_. */
  setup_secret: string
  /** What the key is for. */
  name?: string | undefined
}

export type SetUpAnswer = CreatedApiKey

export interface ListSecurityEventsInput {
  /** Only this tenant. Your own by default. */
  tenant_id?: string | undefined
  /** Only this kind. */
  kind?:
    | 'credential_invalid'
    | 'role_not_allowed'
    | 'not_yours'
    | 'step_up_required'
    | 'passkey_refused'
    | 'cross_site_request'
    | 'host_not_allowed'
    | 'rate_limited'
    | undefined
  /** Only hours that begin at or after this instant. */
  from?: string | undefined
  /** Maximum number of entries to return. 50 by default. */
  limit?: number | undefined
  /** `next_cursor` of the previous page, unchanged. */
  cursor?: string | undefined
}

export interface ListSecurityEventsAnswer {
  /** Newest first, by when they happened first in their hour. */
  data: SecurityEvent[]
  /** Pass as `cursor` to get the next page. Null on the last page. */
  next_cursor: string | null
  /** Whether there are more pages. */
  has_more: boolean
}

export type RotateSigningKeyInput = Record<string, never>

export interface RotateSigningKeyAnswer {
  /** The key that signs tokens now. */
  kid: string
  /** Index of the log entry that records the rotation. */
  log_index: number
}

export interface WithdrawSigningKeyInput {
  /** Key ID, as the header `kid` of tokens and statements names it. */
  kid: string
  /** When the key was stolen, or the earliest time when it may have been. Not in the future. */
  from: string
  /** Why the token is revoked, in your own words. */
  reason?: string | undefined
}

export interface WithdrawSigningKeyAnswer {
  /** Key ID, as the header `kid` of tokens and statements names it. */
  kid: string
  /** Whether the key was withdrawn before. */
  already_withdrawn: boolean
  /** When the key was withdrawn. */
  withdrawn_at: string
  /** Everything that the key signed from then on is void. */
  withdrawn_from: string
  /** The key that signs for this purpose now. */
  active_kid: string
  /** Tokens that this call revoked. */
  revoked_count: number
  /** Index of the log entry that records the withdrawal. */
  log_index: number
}

export type ListSigningKeysInput = Record<string, never>

export interface ListSigningKeysAnswer {
  /** The active keys, the next ones, retired keys whose tokens can still be valid, then withdrawn keys. */
  data: SigningKey[]
}

export type GetKeySetInput = Record<string, never>

export type GetKeySetAnswer = KeySet

export type GetAuthorizationServerInput = Record<string, never>

export interface GetAuthorizationServerAnswer {
  /** Issuer of the tokens. */
  issuer: string
  /** Address of the token endpoint. */
  token_endpoint: string
  /** Address of the revocation endpoint. */
  revocation_endpoint: string
  /** Address of the introspection endpoint. */
  introspection_endpoint: string
  /** Address of the public keys. */
  jwks_uri: string
  /** Address of the API reference. */
  service_documentation: string
  /** Always empty: there is no authorization endpoint. */
  response_types_supported: string[]
  /** Grant types of the token endpoint. */
  grant_types_supported: string[]
  /** How clients authenticate at the token endpoint. */
  token_endpoint_auth_methods_supported: string[]
  /** How clients authenticate at the introspection endpoint. */
  introspection_endpoint_auth_methods_supported: string[]
  /** How clients authenticate at the revocation endpoint. */
  revocation_endpoint_auth_methods_supported: string[]
  /** Algorithms for DPoP proofs. */
  dpop_signing_alg_values_supported: string[]
}

export type GetAuthzenConfigurationInput = Record<string, never>

export interface GetAuthzenConfigurationAnswer {
  /** Address of the service. */
  policy_decision_point: string
  /** Address of the Access Evaluation API. */
  access_evaluation_endpoint: string
  /** Address of the Access Evaluations API. */
  access_evaluations_endpoint: string
}

export type GetDeploymentInput = Record<string, never>

export interface GetDeploymentAnswer {
  /** Issuer of the tokens. */
  issuer: string
  /** Access mode: open or keyed. */
  access: string
  /** The API of the service. */
  api: {
    /** Version of the service. */
    version: string
    /** Address of the OpenAPI document. */
    openapi: string
    /** Address of the API reference. */
    docs: string
  }
  /** Address of the public keys. */
  jwks_uri: string
  /** The transparency log. */
  log: {
    /** Name of the log, as its checkpoints carry it. */
    origin: string
    /** Verifier key of the log (C2SP signed-note). */
    vkey: string
  }
}

export type GetHealthInput = Record<string, never>

export interface GetHealthAnswer {
  /** Always ok. */
  status: 'ok'
}

export type GetReadinessInput = Record<string, never>

export interface GetReadinessAnswer {
  /** Always ready. */
  status: 'ready'
  /** Always true. A problem carries false. */
  ready: true
  /** Always empty. A problem lists why the service is not ready. */
  reasons: {
    /** Code of the error that callers get. */
    code: string
    /** What is wrong, in plain words. */
    detail: string
  }[]
  /** When the whole log was last read back and compared with its hashes. */
  log_verified_at?: string
  /** What an operator should change. The service works anyway. */
  warnings?: 'restore_unnoticed'[]
}

export type GetServiceStatusInput = Record<string, never>

export interface GetServiceStatusAnswer {
  /** Version of the service. */
  version: string
  /** Access mode. */
  access: 'open' | 'keyed'
  /** When the node started. */
  started_at: string
  /** Whether the node can commit changes. */
  ready: boolean
  /** Why it cannot. */
  reasons: {
    /** Code of the error that callers get. */
    code: string
    /** What is wrong, in plain words. */
    detail: string
  }[]
  /** What an operator should change. The service works anyway. */
  warnings: 'restore_unnoticed'[]
  /** Changes that wait for a commit now. */
  waiting: number
  /** The transparency log. */
  log: {
    /** Number of entries now. */
    size: number
    /** Size of the newest checkpoint. */
    checkpoint_size?: number
    /** When the newest checkpoint was signed. */
    checkpoint_signed_at?: string
    /** When the whole log was last read back and compared with its hashes. */
    verified_at?: string
  }
  /** The witnesses of the log. */
  witnesses: {
    /** Witnesses in the settings. */
    configured: number
    /** Witnesses that did not cosign when this node last asked. */
    failing: number
    /** How many cosignatures a checkpoint needs before it is published. */
    quorum: number
  }
  /** When the last backup was taken, as far as the data directory says. */
  last_backup_at?: string
  /** Memory of the process. */
  memory_bytes: number
  /** The disk of the data directory. Absent when the data is in PostgreSQL. */
  disk?: {
    /** Free for the service. */
    free_bytes: number
    /** In all. */
    total_bytes: number
  }
  /** The last 60 minutes in which something was committed, oldest first. */
  minutes: StatusMinute[]
}

/** Whether a person accepts new tokens in their name. */
export interface Acceptance {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Whether new tokens in the name of the person are refused now. */
  refuses: boolean
  /** Whether this call changed anything. */
  changed: boolean
  /** When the call was carried out, or since when tokens are refused. */
  at: string
}

/** The access mode of the deployment changed. */
export interface AccessChangedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'access.changed'
  /** The access mode of the deployment changed. */
  data: {
    /** The access mode from now on. */
    mode: 'open' | 'keyed'
  }
}

/** An action was authorized and is pending. */
export interface ActionAuthorizedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.authorized'
  /** An action was authorized and is pending. */
  data: {
    /** Action record ID. Starts with aar_. */
    aar_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The spend in US dollars. Absent if there is none. */
    spend_usd?: number
    /** Trust in the token. */
    trust_score?: number
    /** The action that caused this one. */
    parent_aar_id?: string
    /** Trace ID (W3C Trace Context) of the request. */
    trace_id?: string
    /** The approval that allowed it. */
    approval_id?: string
    /** The vouch score that the decision rests on. */
    vouch_score?: number
    /** Who reported the outcome (or, while the record is pending, who authorized the action). self_reported: the agent, or any caller in open mode. observed: a resource server that the token names as its audience. countersigned: reserved, not used yet. */
    evidence: 'self_reported' | 'observed' | 'countersigned'
    /** When the pending record expires unless it is completed. */
    expires_at: string
  }
}

/** A pending action was cancelled. */
export interface ActionCancelledEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.cancelled'
  /** A pending action was cancelled. */
  data: {
    /** Action record ID. Starts with aar_. */
    aar_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** Who reported the outcome (or, while the record is pending, who authorized the action). self_reported: the agent, or any caller in open mode. observed: a resource server that the token names as its audience. countersigned: reserved, not used yet. */
    evidence: 'self_reported' | 'observed' | 'countersigned'
  }
}

/** An action was completed, or authorized, recorded and completed in one call. */
export interface ActionCompletedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.completed'
  /** An action was completed, or authorized, recorded and completed in one call. */
  data: {
    /** Action record ID. Starts with aar_. */
    aar_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The spend in US dollars. Absent if there is none. */
    spend_usd?: number
    /** Trust in the token. */
    trust_score?: number
    /** The action that caused this one. */
    parent_aar_id?: string
    /** Trace ID (W3C Trace Context) of the request. */
    trace_id?: string
    /** The approval that allowed it. */
    approval_id?: string
    /** The vouch score that the decision rests on. */
    vouch_score?: number
    /** Who reported the outcome (or, while the record is pending, who authorized the action). self_reported: the agent, or any caller in open mode. observed: a resource server that the token names as its audience. countersigned: reserved, not used yet. */
    evidence: 'self_reported' | 'observed' | 'countersigned'
    /** The outcome. */
    result: string
    /** SHA-256 digest of the result, if you keep the result elsewhere: sha256: followed by 1 to 64 hexadecimal digits. Stored in lower case. */
    result_hash?: string
    /** True if the token was revoked before. */
    completed_after_revocation?: boolean
    /** True if more was spent than the budget held. */
    over_budget?: boolean
    /** True if more was spent than authorized. The token is suspended then. */
    exceeded?: boolean
  }
}

/** An action was denied. */
export interface ActionDeniedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.denied'
  /** An action was denied. */
  data: {
    /** Denial ID. Starts with den_. */
    denial_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The spend in US dollars. Absent if there is none. */
    spend_usd?: number
    /** Trust in the token. */
    trust_score?: number
    /** The action that caused this one. */
    parent_aar_id?: string
    /** Trace ID (W3C Trace Context) of the request. */
    trace_id?: string
    /** The approval that allowed it. */
    approval_id?: string
    /** The vouch score that the decision rests on. */
    vouch_score?: number
    /** Every reason for the denial, the most important first. */
    reasons: (
      | 'token_revoked'
      | 'token_suspended'
      | 'agent_suspended'
      | 'token_expired'
      | 'token_not_yet_valid'
      | 'record_closed'
      | 'action_not_in_scope'
      | 'resource_not_in_scope'
      | 'argument_not_allowed'
      | 'outside_hours'
      | 'budget_exceeded'
      | 'period_budget_exceeded'
      | 'action_limit'
      | 'rate_limit'
      | 'reputation_too_low'
      | 'vouch_score_too_low'
      | 'approval_denied'
      | 'approval_limit_root'
      | 'approval_limit_person'
      | 'approval_required'
    )[]
  }
}

/** A pending action expired. */
export interface ActionExpiredEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.expired'
  /** A pending action expired. */
  data: {
    /** Action record ID. Starts with aar_. */
    aar_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
  }
}

/** An action of the workflow. */
export interface ActionNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'action'
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** State of an action record. Only a pending record can change. */
  state: 'pending' | 'completed' | 'cancelled' | 'expired'
  /** Outcome of the action. Absent while the record is pending. */
  result?: string
  /** US dollars, reserved or spent. */
  spend_usd: number
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
  rating?: 'approved' | 'flagged' | 'rejected'
  /** When the record was created. */
  created_at: string
  /** When the record was closed. */
  completed_at?: string
}

/** A person rated an action. */
export interface ActionRatedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'action.rated'
  /** A person rated an action. */
  data: {
    /** Action record ID. Starts with aar_. */
    aar_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
    rating: 'approved' | 'flagged' | 'rejected'
    /** Assurance level of the person who rated; self_reported in open mode. */
    rater_assurance: string
  }
}

/** One action of an agent, with its outcome and rating. */
export interface ActionRecord {
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The token that was used. */
  vat_jti: string
  /** The root token of the workflow. */
  root_jti: string
  /** The agent that acted, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** State of an action record. Only a pending record can change. */
  state: 'pending' | 'completed' | 'cancelled' | 'expired'
  /** Outcome of the action. Absent while the record is pending. */
  result?: string
  /** SHA-256 digest of the result, if one was sent. */
  result_hash?: string
  /** US dollars: reserved while the record is pending, spent once it is completed. */
  spend_usd: number
  /** The action record that caused this action. */
  parent_aar_id?: string
  /** Who reported the outcome (or, while the record is pending, who authorized the action). self_reported: the agent, or any caller in open mode. observed: a resource server that the token names as its audience. countersigned: reserved, not used yet. */
  evidence: 'self_reported' | 'observed' | 'countersigned'
  /** The metadata that was sent with the action. */
  metadata?: Record<string, unknown>
  /** Trace ID of the `traceparent` header of the request. */
  trace_id?: string
  /** When the record was created. */
  created_at: string
  /** When the pending record expires and releases its reservation. */
  expires_at?: string
  /** When the record was closed. */
  completed_at?: string
  /** True when the record was completed after its token was revoked. */
  completed_after_revocation?: boolean
  /** True when the action spent more than the budget allowed. */
  over_budget?: boolean
  /** True when the action cost more than it was authorized for, beyond `max_overrun_pct`. It counts as failed, and its token was suspended. */
  exceeded?: boolean
  /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
  rating?: 'approved' | 'flagged' | 'rejected'
  /** When the action was rated. */
  feedback_at?: string
  /** The note that came with the rating. */
  note?: string
  /** How the person who rated was verified: an assurance level, followed by +passkey when they confirmed the rating with a fresh passkey. `none` in open mode. */
  rater_assurance?: string
  /** True when personal fields are missing because the person was erased. */
  erased?: boolean
  /** Index of the log entry that created the record. */
  log_index: number
  /** RFC 6962 hash of that log entry, in base64. */
  leaf_hash: string
  /** Index of the log entry that completed the record. */
  completed_log_index?: number
  /** Index of the log entry that holds the rating. */
  rated_log_index?: number
}

/** Hours within which the token allows actions. */
export interface ActiveHours {
  /** IANA name of the time zone, such as Europe/Berlin or UTC. */
  time_zone: string
  /** Days on which the hours apply. Every day by default. */
  days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** First minute, as HH:MM. */
  from: string
  /** End, as HH:MM, exclusive. 24:00 is midnight. If it is earlier than `from`, the hours run past midnight. It cannot equal `from`: the whole day is 00:00 to 24:00. */
  to: string
}

/** An agent and its profile. */
export interface Agent {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** Name to show to people. */
  display_name?: string
  /** Who runs the agent. */
  owner?: string
  /** Model that the agent uses. */
  model?: string
  /** Address of the agent or its documentation. */
  url?: string
  /** Who may use the name. Absent while the name has no owner. */
  owned_by?: string[]
  /** Thumbprints of the newest 100 keys of the agent. Absent in lists and without keys. */
  keys?: string[]
  /** In lists: tokens of the agent that are neither expired nor revoked themselves, among its newest 200. */
  live_tokens?: number
  /** What the agent did in the last 14 days, today included. In lists, with `expand=activity`. */
  activity?: AgentActivity
  /** Whether the agent is suspended. */
  suspended: boolean
  /** When it was suspended. */
  suspended_at?: string
  /** Rank of the caller who suspended it. Only this rank or a higher one can resume it. */
  suspended_by?: 'agent' | 'developer' | 'person' | 'operator'
  /** Why it was suspended, in the words of the caller who did so. */
  suspend_reason?: string
  /** All action records of the agent. */
  total_actions: number
  /** 0.6 × execution_score + 0.4 × feedback_score. */
  combined_reputation: number
  /** Whether any action has been rated. */
  has_human_feedback: boolean
  /** When the agent got its first token or was registered. */
  first_seen_at: string
  /** When the agent last acted. */
  last_action_at?: string
}

/** What the agent did in the last 14 days, today included. In lists, with `expand=activity`. */
export interface AgentActivity {
  /** Actions that were authorized. */
  allowed: number
  /** Actions that were denied. */
  denied: number
  /** US dollars spent. */
  spend_usd: number
  /** When an action was last denied, in these days. */
  last_denied_at?: string
  /** The days with activity, oldest first. */
  days: {
    /** When the day began, in UTC. */
    start: string
    /** Actions that were authorized. */
    allowed: number
    /** Actions that were denied. */
    denied: number
    /** US dollars spent. */
    spend_usd: number
  }[]
}

/** An agent of the workflow. */
export interface AgentNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'agent'
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
}

/** An agent was registered, or its profile or keys changed. */
export interface AgentRegisteredEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'agent.registered'
  /** An agent was registered, or its profile or keys changed. */
  data: {
    /** The agent. */
    agent_id: string
    /** Thumbprints (RFC 7638) of new keys. */
    keys_added?: string[]
    /** Thumbprints (RFC 7638) of removed keys. */
    keys_removed?: string[]
  }
}

/** A suspended agent was resumed. */
export interface AgentResumedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'agent.resumed'
  /** A suspended agent was resumed. */
  data: {
    /** The agent. */
    agent_id: string
    /** Rank of the caller who resumed it. */
    resumed_by: 'agent' | 'developer' | 'person' | 'operator'
  }
}

/** Every token of an agent was revoked. */
export interface AgentRevokedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'agent.revoked'
  /** Every token of an agent was revoked. */
  data: {
    /** The agent. */
    agent_id: string
  }
}

/** An agent was suspended, with all its tokens. */
export interface AgentSuspendedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'agent.suspended'
  /** An agent was suspended, with all its tokens. */
  data: {
    /** The agent. */
    agent_id: string
    /** Rank of the caller who suspended it. */
    suspended_by: 'agent' | 'developer' | 'person' | 'operator'
    /** Suspended with this agent, because both use the same key. */
    key_of?: string
  }
}

/** A rule that fired for an agent. */
export interface Alert {
  /** Alert ID. Starts with alt_. */
  alert_id: string
  /** Rule ID. Starts with alr_. */
  rule_id: string
  /** Name of the rule at that time. */
  rule_name: string
  /** When the rule fires. A condition has exactly the members of its kind. */
  condition: StoredAlertCondition
  /** notify: only an event and an entry in the list of alerts. ask: every action of the agent, and of agents it delegated to, needs the approval of a person for `ask_minutes`. suspend: the agent is suspended until a person or an operator resumes it. */
  effect: 'notify' | 'ask' | 'suspend'
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** When the condition held: the start of that minute or hour. */
  at: string
  /** Why, in words. */
  explanation: string
  /** When the alert was recorded. */
  fired_at: string
  /** Until when every action of the agent needs an approval, if that is the effect. */
  asks_until?: string
  /** Index of the log entry that recorded this. */
  log_index: number
}

/** When the rule fires. A condition has exactly the members of its kind. */
export interface AlertCondition {
  /** denials: more than `more_than` denials within `within_minutes`. budget: a budget of the agent reached `percent`. rejected: a person rated an action rejected. chain: the agent got a token deeper than `deeper_than`. new_use: the agent did something (`of: action`) or acted on something (`of: resource`) for the first time ever. unusual_hours: it acted at an hour of the day (UTC) when it never acts, not even an hour before or after. spend_rate: it spent in one hour more than `times` its highest hour, and at least `at_least_usd`. The last three compare with the 28 days before, and wait until the agent has acted on 7 days. */
  kind: 'denials' | 'budget' | 'rejected' | 'chain' | 'new_use' | 'unusual_hours' | 'spend_rate'
  /** For denials. */
  more_than?: number
  /** For denials. */
  within_minutes?: number
  /** For budget. */
  percent?: '50' | '80' | '100'
  /** For chain. */
  deeper_than?: number
  /** For new_use. */
  of?: 'action' | 'resource'
  /** For spend_rate. */
  times?: number
  /** For spend_rate. */
  at_least_usd?: number
}

/** An alert rule fired. */
export interface AlertFiredEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'alert.fired'
  /** An alert rule fired. */
  data: {
    /** The agent. */
    agent_id: string
    /** Alert ID. Starts with alt_. */
    alert_id: string
    /** The rule that fired. Starts with alr_. */
    rule_id: string
    /** What the rule watches. */
    condition: 'denials' | 'budget' | 'rejected' | 'chain' | 'new_use' | 'unusual_hours' | 'spend_rate'
    /** What the alert does. */
    effect: 'notify' | 'ask' | 'suspend'
    /** Start of the time in which the rule fires once for this agent. */
    window: string
    /** Why it fired, in words. */
    explanation: string
    /** Until when every action of the agent needs an approval. */
    asks_until?: string
  }
}

/** A firing that would have been. */
export interface AlertFiring {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** When the condition held: the start of that minute or hour. */
  at: string
  /** Why, in words. */
  explanation: string
}

/** A rule about the agents of a tenant. */
export interface AlertRule {
  /** Rule ID. Starts with alr_. */
  rule_id: string
  /** What to call the rule. */
  name: string
  /** When the rule fires. A condition has exactly the members of its kind. */
  condition: StoredAlertCondition
  /** notify: only an event and an entry in the list of alerts. ask: every action of the agent, and of agents it delegated to, needs the approval of a person for `ask_minutes`. suspend: the agent is suspended until a person or an operator resumes it. */
  effect: 'notify' | 'ask' | 'suspend'
  /** The only agent that the rule watches. */
  agent_id?: string
  /** Length of a window in minutes. */
  window_minutes: number
  /** How long the agent has to ask, if the effect is ask. */
  ask_minutes: number
  /** Whether the rule is evaluated. */
  enabled: boolean
  /** The suggestion that the rule was made from. */
  suggestion?: string
  /** When the rule was created or last changed. It begins with the next full minute or, for new_use, unusual_hours and spend_rate, the next full hour. Earlier activity does not count. */
  created_at: string
  /** Index of the log entry that recorded this. */
  log_index: number
}

/** The action is allowed, and its record is pending. */
export interface AllowedDecision {
  /** Whether the action is allowed. */
  authorized: true
  /** The pending action record. Present when the action is allowed. Also present when a repeated request (Idempotency-Key) was first allowed and its token is no longer in force: do not act. Cancel the record, or complete it if you have already acted. With the reason record_closed, the record was cancelled or has expired. */
  aar_id: string
  /** The most important reason for the denial. */
  reason?: undefined
  /** Every reason for the denial, the most important first. */
  reasons?: undefined
  /** Which arguments are not allowed, which limit on spending is exceeded and what it leaves, which budgets per period are used up, when the minute of a rate limit ends, which score was too low, and why an approval was not used. */
  details?: undefined
  /** The stored denial. Present when the action is denied. */
  denial_id?: undefined
  /** The approval to wait for. Present when the reason is `approval_required`. */
  approval_id?: undefined
  /** True when nothing was stored. */
  dry_run?: undefined
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** When the pending record expires and releases its reservation. */
  expires_at: string
}

/** A person whom an operator named as an anchor. */
export interface Anchor {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** The anchor's own weight, from 0 to 0.95. It replaces what verification gives (0.7 at L2, 0.95 at L3): with 0, a verified person is not an anchor, and stays out after an erasure until an operator removes the entry. */
  base: number
  /** Why an operator named the person. Absent once the person is erased. */
  reason?: string
  /** When an operator named the person. */
  named_at: string
  /** Index of the log entry that recorded this. */
  log_index: number
}

/** An operator named a person as an anchor of trust. */
export interface AnchorNamedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'anchor.named'
  /** An operator named a person as an anchor of trust. */
  data: {
    /** The person. */
    human_ref: string
    /** The word of this anchor, from 0 to 1. */
    base: number
  }
}

/** A person is no longer a named anchor of trust. */
export interface AnchorRemovedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'anchor.removed'
  /** A person is no longer a named anchor of trust. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** An API key, without its secret. */
export interface ApiKey {
  /** ID of the API key: the 8 characters after dk_. It is not secret. */
  key_id: string
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
  /** Name of the key. */
  name: string
  /** Role of the key. */
  role: 'operator' | 'developer' | 'resource_server' | 'auditor' | 'safety'
  /** For resource servers: the `aud` that tokens must name. */
  audience?: string
  /** When the key was created. */
  created_at: string
  /** When the key expires. */
  expires_at: string
  /** The credential that created the key. */
  created_by: string
  /** The person who got the key by signing in to the dashboard with a provider. Stopping or erasing the person deletes it. */
  held_by?: string
  /** Index of the log entry that created the key. */
  log_index: number
  /** In lists: when the key was last used, to the minute. Absent if it was not used within the last 30 days. */
  last_used_at?: string
}

/** A request to a person to approve one action. */
export interface Approval {
  /** Approval ID. Starts with apr_. */
  approval_id: string
  /** State of an approval. pending: waiting for a decision. expired: it was not decided or used in time, or its token or one above it was revoked. Approvals of suspended tokens stay as they are. */
  state: 'pending' | 'approved' | 'denied' | 'expired'
  /** The token that the agent asked with. */
  vat_jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The agent that asked, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Action that the agent wants to take. */
  action: string
  /** Resource that the agent wants to act on. */
  resource: string
  /** Estimated cost in US dollars. */
  spend_usd: number
  /** The metadata that was sent with the action. */
  metadata?: Record<string, unknown>
  /** The metadata as lines to show to a person, starting with the call that a guard describes in `metadata.request`. Hidden and misleading characters are replaced by their code points. */
  summary?: string[]
  /** How many people must approve. */
  required: number
  /** Who must approve. Absent when the person that the agent acts for decides alone. */
  approvers?: RequiredApprovers[]
  /** The decisions so far, oldest first. */
  decisions: ApproverDecision[]
  /** When the agent asked. */
  created_at: string
  /** When the approval expires if it is not decided. It expires earlier if its token is revoked. */
  expires_at: string
  /** When the approval was decided. */
  decided_at?: string
  /** The `human_ref` of the person who decided; `human` in open mode; `review_desk` for an action that was held for review; `habit` when the approval was given automatically under `auto_approve_after`; `grant` when a person had allowed it in advance. */
  decided_by?: string
  /** The note that came with the decision. */
  note?: string
  /** What the person allowed in advance with this approval. */
  grant?: GivenGrant
  /** The approval whose grant approved this one. Present when `decided_by` is `grant`. */
  grant_id?: string
  /** The action record that used the approval. */
  used_by?: string
  /** True when personal fields are missing because the person was erased. */
  erased?: boolean
  /** Index of the log entry that created the approval. */
  log_index: number
  /** Index of the log entry that holds the decision. */
  decided_log_index?: number
}

/** The agent that asked. With `expand=agent`. */
export interface ApprovalAgent {
  /** Name to show to people. */
  display_name?: string
  /** 0.6 × execution_score + 0.4 × feedback_score. */
  combined_reputation: number
  /** Whether any action has been rated. */
  has_human_feedback: boolean
  /** All action records of the agent. */
  total_actions: number
  /** Whether the agent is suspended. */
  suspended: boolean
}

/** An approval was decided. */
export interface ApprovalDecidedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.decided'
  /** An approval was decided. */
  data: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The decision. */
    decision: 'approved' | 'denied'
    /** The `human_ref` of the person; `human` in open mode; `review_desk`; `habit` or `grant` if it was approved automatically. */
    decided_by: string
    /** True if the person decided as a reviewer of the tenant. */
    reviewer?: boolean
    /** True if the person is the one that the agent acts for. */
    owner?: boolean
    /** What the person allowed in advance with this decision. */
    grant?: {
      /** When the grant ends. */
      expires_at: string
      /** How much may be spent with it. */
      max_spend_usd: number
    }
    /** The approval whose grant allowed it. */
    grant_id?: string
  }
}

/** One of several approvers approved. Others must also approve. */
export interface ApprovalEndorsedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.endorsed'
  /** One of several approvers approved. Others must also approve. */
  data: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The `human_ref` of a person who approved. Others must approve too. */
    by: string
    /** True if the person decided as a reviewer of the tenant. */
    reviewer?: boolean
    /** True if the person is the one that the agent acts for. */
    owner?: boolean
  }
}

/** A request stayed undecided for `escalate_after_minutes`, so more people can decide it. */
export interface ApprovalEscalatedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.escalated'
  /** A request stayed undecided for `escalate_after_minutes`, so more people can decide it. */
  data: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The people who are asked too, by `human_ref`. */
    to: string[]
  }
}

/** A grant given in advance was ended. */
export interface ApprovalGrantEndedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.grant_ended'
  /** A grant given in advance was ended. */
  data: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
  }
}

/** A habit that approved requests was ended. */
export interface ApprovalHabitEndedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.habit_ended'
  /** A habit that approved requests was ended. */
  data: {
    /** The agent. */
    agent_id: string
    /** The person. */
    human_ref: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
  }
}

/** An approval of the workflow. With `expand=approvals`. */
export interface ApprovalNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'approval'
  /** Approval ID. Starts with apr_. */
  approval_id: string
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** State of an approval. pending: waiting for a decision. expired: it was not decided or used in time, or its token or one above it was revoked. Approvals of suspended tokens stay as they are. */
  state: 'pending' | 'approved' | 'denied' | 'expired'
  /** US dollars that the action would spend. */
  spend_usd: number
  /** When the approval was requested. */
  created_at: string
  /** When the approval was decided. */
  decided_at?: string
  /** The action that was done with the approval. */
  used_by?: string
}

/** A person is asked to approve an action. */
export interface ApprovalRequestedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'approval.requested'
  /** A person is asked to approve an action. */
  data: {
    /** Approval ID. Starts with apr_. */
    approval_id: string
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** The action. */
    action: string
    /** The resource. */
    resource: string
    /** The spend in US dollars. Absent if there is none. */
    spend_usd?: number
    /** Until when it can be decided. */
    expires_at: string
  }
}

/** The token that the agent asked with. With `expand=token`. */
export interface ApprovalToken {
  /** What the token is for. */
  purpose?: string
  /** Status of a token. Only a live token allows actions. */
  status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
  /** When the token expires. */
  expires_at: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Why a person is asked. */
  asked_because: ('always' | 'action' | 'resource' | 'amount' | 'review')[]
  /** The budget in the chain with the least left. */
  tightest?: TightestBudget
  /** What would be left of the tightest budget after this action. Present while the approval is pending. */
  remaining_after_usd?: number
}

/** A decision about an approval. */
export interface ApproverDecision {
  /** The `human_ref` of the person; `human` in open mode; `review_desk`; `habit` or `grant` if it was approved automatically. */
  by: string
  /** The decision. */
  decision: 'approved' | 'denied'
  /** When. */
  at: string
}

/** Who must approve: `count` of the named people, or of those with a role. Give either `people` or `role`. The person that the agent acts for cannot be the only one who approves. Needs keyed mode. */
export interface Approvers {
  /** How many of them must approve. One denial denies. */
  count: number
  /** The people who can approve, by `human_ref`. */
  people?: string[]
  /** Everyone with this role can approve: `reviewer`, a reviewer of the tenant. */
  role?: 'reviewer'
}

/** Limits on one value. All of them apply. A value that is missing or has the wrong type for a limit is denied. */
export interface ArgumentLimit {
  /** Largest number allowed. */
  max?: number
  /** Smallest number allowed. */
  min?: number
  /** The only values allowed: strings, numbers, true, false or null. Numbers beyond 2^53 - 1 cannot be compared exactly: use strings. */
  one_of?: (string | number | boolean | null)[]
  /** A pattern that the string must match, or a list of several. */
  matches?: string | string[]
  /** Maximum number of characters in a string, or of items in a list. */
  max_length?: number
}

/** The token that the person is asked to confirm. `sentences` state all of it. */
export interface AskedToken {
  /** The agent that gets the token. */
  agent_id: string
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources: string[]
  /** Actions that the token allows on each of these resources. */
  actions: string[]
  /** The limits of the token. */
  constraints?: Record<string, unknown>
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string
  /** Lifetime in seconds. One hour by default, at most eight hours. An L3 token ends at most eight hours after the verification, and at most as long after it as its policies allow, even if that is sooner. */
  expires_in?: number
}

/** The state of the log that the response is computed from. */
export interface AsOf {
  /** Size of the log that the response is computed from. */
  log_size: number
  /** Time of its last entry. Absent for an empty log. */
  at?: string
}

/** The result of `navigator.credentials.get()` as JSON (WebAuthn Level 3). */
export interface AssertionResponse {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  id: string
  /** The credential ID again, in base64url. */
  rawId: string
  /** Always public-key. */
  type: 'public-key'
  /** How the authenticator is attached: platform or cross-platform. */
  authenticatorAttachment?: string
  /** Results of client extensions. */
  clientExtensionResults: Record<string, unknown>
  /** The response of the authenticator. */
  response: {
    /** The client data, in base64url. */
    clientDataJSON: string
    /** The authenticator data, in base64url. */
    authenticatorData: string
    /** The signature, in base64url. */
    signature: string
    /** The user handle, in base64url. */
    userHandle?: string
  }
}

export interface AuthorizeRequest {
  /** The token that allows the action. */
  vat_jti: string
  /** Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *. */
  action: string
  /** One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more. */
  resource: string
  /** Estimated cost in US dollars. It is reserved from every budget. */
  spend_usd?: number
  /** The action record in the same workflow that caused this action. */
  parent_aar_id?: string
  /** The approval for this action. It must match the token, action, resource, spend and metadata, and it can be used once. */
  approval_id?: string
  /** Your own facts about the action: at most 64 members and 4 KiB of JSON. */
  metadata?: Record<string, unknown>
  /** Return the decision without storing anything. */
  dry_run?: boolean
}

export type AuthorizeResponse = AllowedDecision | DeniedDecision | DryRunDecision

/** What the subject wants to do. */
export interface AuthzenAction {
  /** The action verb. */
  name: string
  /** Arguments of the action. They are the `metadata` that limits on arguments and approvals apply to. */
  properties?: Record<string, unknown>
}

/** Facts about the request. Members that are not named here are ignored. */
export interface AuthzenContext {
  /** True: decide as `authorize` does. An allowed action opens a pending record (`aar_id` in the response), and a denial is stored. By default nothing is stored. */
  record?: boolean
  /** Estimated cost in US dollars. */
  spend_usd?: number
  /** The approval for this action. */
  approval_id?: string
  /** The action record that caused this action. */
  parent_aar_id?: string
}

export interface AuthzenDecision {
  /** Whether the action is allowed. */
  decision: boolean
  /** Why, and what was stored. */
  context: AuthzenDecisionContext
}

/** Why, and what was stored. */
export interface AuthzenDecisionContext {
  /** The most important reason for a denial. Besides the reasons of `authorize`: `subject_unknown` (not an agent or token of this service), `subject_mismatch` (the token belongs to another agent), `token_required` (`subject.properties.vat_jti` is missing). */
  id?:
    | 'subject_unknown'
    | 'subject_mismatch'
    | 'token_required'
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** All reasons, for administrators, by language. */
  reason_admin?: Record<string, unknown>
  /** What the caller can do, by language. */
  reason_user?: Record<string, unknown>
  /** Which arguments are not allowed, which limit on spending is exceeded and what it leaves, which budgets per period are used up, when the minute of a rate limit ends, which score was too low, and why an approval was not used. */
  details?: DenialDetail[]
  /** Why this evaluation could not be made. */
  error?: {
    /** HTTP status. */
    status: number
    /** What was wrong. */
    message: string
  }
  /** The pending record, with `context.record`. */
  aar_id?: string
  /** When the pending record expires. */
  expires_at?: string
  /** The stored denial, with `context.record`. */
  denial_id?: string
  /** The approval to wait for, with `context.record`. */
  approval_id?: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref?: string
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score?: number
}

export interface AuthzenEvaluationItem {
  /** Who wants to act: an agent with its token. */
  subject?: AuthzenSubject
  /** What the subject wants to do. */
  action?: AuthzenAction
  /** The resource `<type>:<id>`. */
  resource?: AuthzenResource
  /** Facts about the request. Members that are not named here are ignored. */
  context?: AuthzenContext
}

/** The resource `<type>:<id>`. */
export interface AuthzenResource {
  /** The namespace of the resource. */
  type: string
  /** The name in that namespace. */
  id: string
  /** Further facts about the resource. They are not used. */
  properties?: Record<string, unknown>
}

/** Who wants to act: an agent with its token. */
export interface AuthzenSubject {
  /** `agent` or `token`. Any other type is denied with `subject_unknown`. */
  type: string
  /** For `agent`: its name. For `token`: the `jti` of the token. */
  id: string
  /** Further facts about the subject. */
  properties?: {
    /** The token of the agent. It is needed for `agent`: an agent alone has no authority. */
    vat_jti?: string
  }
}

/** What a person agreed to, and when. */
export interface BiometricConsent {
  /** Version that the person accepted. */
  version: string
  /** When they accepted it. */
  accepted_at: string
  /** SHA-256 digest of version and texts, as canonical JSON (RFC 8785). */
  text_hash: string
  /** Whether this is the current text. If not, the person must accept the current one at their next verification. */
  is_current: boolean
}

/** allocated_usd is always spent_usd + reserved_usd + remaining_usd. */
export interface Budget {
  /** Budget in US dollars. */
  allocated_usd: number
  /** US dollars spent. */
  spent_usd: number
  /** US dollars reserved by pending records. */
  reserved_usd: number
  /** US dollars that can still be spent. Negative when overspent. */
  remaining_usd: number
}

/** All of a budget is spent or reserved. */
export interface BudgetExhaustedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'budget.exhausted'
  /** All of a budget is spent or reserved. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** Always 100: all of the budget is spent or reserved. */
    percent: number
  }
}

/** 50 % or 80 % of a budget is spent or reserved. */
export interface BudgetThresholdEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'budget.threshold'
  /** 50 % or 80 % of a budget is spent or reserved. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** Share of the budget that is spent or reserved: 50 or 80. */
    percent: number
  }
}

/** What the device says about its camera. A hint only. */
export interface CaptureDevice {
  /** Name of the camera, as the browser reports it. */
  video_label?: string
}

/** One picture of a step. */
export interface CapturedFrame {
  /** Milliseconds from showing the step to taking the frame. */
  t_ms: number
  /** The frame as JPEG in base64. */
  jpeg: string
}

/** The sound of a step. */
export interface CapturedSound {
  /** Milliseconds from showing the step to the first sample. */
  t0_ms: number
  /** Mono samples of 16 bits, little-endian, 16,000 per second, in base64. */
  pcm16: string
}

export interface CaptureResult {
  /** Verification ID. Starts with vrf_. */
  verification_id: string
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** Whether the person was verified. */
  passed: boolean
  /** pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person. */
  decision: 'pass' | 'retry' | 'fail' | 'review'
  /** The result of each modality. */
  modalities: ModalityResult[]
  /** Why it did not pass, in plain words. */
  reasons: string[]
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** The level that it gives, when it passed: L3, or what the verification provider may give. */
  assurance_level?: 'L1' | 'L2' | 'L3'
  /** The trust of tokens at that level. */
  trust_score?: number
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Version of the engine that judged, or the kind of verification provider. */
  engine_version: string
  /** SHA-256 digest of what was judged: of the canonical JSON of `session_id` and `media`, the digests of the recordings in order; at an external provider, of its decision. */
  evidence_hash: string
  /** When the verification provider withdrew its decision. The tokens that were issued on it are revoked. */
  withdrawn_at?: string
  /** When it was judged. */
  verified_at: string
  /** The overall score. For operators and auditors only. */
  score?: number
  /** Failed attempts that remain before verification is locked for a while. */
  attempts_left: number
  /** The token, if one was requested and the person was verified. */
  token?: IssuedToken
}

/** How the device should record. */
export interface CaptureSettings {
  /** Width of a frame in pixels. */
  width: number
  /** Height of a frame in pixels. */
  height: number
  /** Frames per second. */
  fps: number
  /** JPEG quality, 0 to 1. */
  jpeg_quality: number
  /** Samples of sound per second, mono. */
  sample_rate: number
  /** How long to wait after a step arrives before showing it. Times in a recording count from then. */
  lead_ms: number
  /** Maximum number of frames in one step. */
  max_frames: number
  /** Maximum size of the body of one call. */
  max_bytes: number
}

/** One task of a capture. It is revealed when the one before is answered. */
export interface CaptureStep {
  /** ID of the step. */
  step_id: string
  /** Position of the step, from 0. */
  index: number
  /** What the step asks for. */
  kind: 'neutral' | 'move' | 'flash' | 'speak' | 'gesture'
  /** The instruction for the person, in the language of the session. */
  prompt: string
  /** How long to record, in milliseconds. */
  duration_ms: number
  /** When the answer must arrive. */
  answer_by: string
  /** The movement, for `move`. */
  movement?: 'turn_left' | 'turn_right' | 'look_up' | 'look_down' | 'open_mouth' | 'blink' | 'move_closer'
  /** Colors to fill the screen with, in order, for `flash`. */
  colors?: ('red' | 'green' | 'blue' | 'black')[]
  /** How long each color is shown, in milliseconds. */
  slot_ms?: number
  /** The digits to say, for `speak`. */
  digits?: string
  /** The hand sign, for `gesture`. */
  gesture?: 'thumbs_up' | 'victory' | 'open_palm' | 'point_up'
}

/** A way in which messages reach a person or the operators of a tenant. */
export interface Channel {
  /** ID of a channel. */
  channel_id: string
  /** How messages travel. */
  kind: 'email' | 'push' | 'slack' | 'teams' | 'webhook'
  /** Name of the channel. */
  name: string
  /** An unconfirmed channel carries nothing until its code was sent back. */
  state: 'active' | 'unconfirmed'
  /** What the channel carries. `questions`: an approval request is waiting. `alerts`: an alert fired. `suspensions`: an agent was suspended. `webhooks`: a webhook was disabled (channels of a tenant only). */
  about: ('questions' | 'alerts' | 'suspensions' | 'webhooks')[]
  /** Where it leads: the email address, or the host of the address. Secrets are not shown. */
  target: string
  /** When it was added. */
  created_at: string
  /** When the receiver last took a message or a test. */
  last_sent_at?: string
  /** The last attempt, if it failed. It is retried automatically while something is waiting. */
  last_failure?: ChannelFailure
  /** The last 20 attempts, the newest first. */
  attempts?: ChannelAttempt[]
}

/** An attempt to send a message or a test. */
export interface ChannelAttempt {
  /** When the message or the test was sent. */
  at: string
  /** Whether the receiver took it. */
  sent: boolean
  /** What went wrong. */
  detail?: string
}

/** The last attempt, if it failed. It is retried automatically while something is waiting. */
export interface ChannelFailure {
  /** When the attempt failed. */
  at: string
  /** What went wrong. */
  detail: string
}

/** The claims of the token: exactly the JWT payload. */
export interface Claims {
  /** Issuer of the token. */
  iss: string
  /** Agent name with the agent: prefix, as the service stores it. */
  sub: string
  /** The service that accepts the token. */
  aud?: string
  /** When the token was issued, in seconds since 1970. */
  iat: number
  /** When the token becomes valid, in seconds since 1970. */
  nbf: number
  /** When the token expires, in seconds since 1970. */
  exp: number
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Access mode of the service that issued the token: open or keyed. */
  svc_env?: string
  /** Tenant of the agent. Absent for `default`. */
  svc_tenant?: string
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  svc_trust_score: number
  /** Resources and actions of a token. Each action applies to each resource. */
  svc_scope: StoredScope
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  svc_assurance_level: 'L1' | 'L2' | 'L3'
  /** Keyed hash that identifies the person behind the token. */
  svc_human_ref: string
  /** Whether the email address of the person was verified. */
  svc_email_verified?: boolean
  /** The provider that the person signed in with. */
  svc_provider?: string
  /** How the person signed in (RFC 8176). */
  amr?: string[]
  /** When the person signed in, in seconds since 1970. */
  auth_time?: number
  /** How the person was verified, at L3. */
  svc_verification?: VerificationClaim
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  svc_provenance_ref: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  svc_delegation_depth: number
  /** The root token of the workflow. */
  svc_root_jti: string
  /** The token that this one was delegated from. */
  svc_parent_jti?: string
  /** SHA-256 digest of the compact JWT of the parent. */
  svc_parent_hash?: string
  /** The token that this one renews. */
  svc_renews_jti?: string
  /** Agents that delegated (RFC 8693): the parent agent, with its own parent inside. */
  act?: Record<string, unknown>
  /** Constraints of the token, as they were sent. */
  svc_constraints?: Record<string, unknown>
  /** Policies whose rules the service checked when it issued the token. Not a certification. */
  svc_policy_assertions?: PolicyAssertion[]
  /** Where the status of the token is published. */
  status?: {
    /** Reference into the Token Status List. */
    status_list: {
      /** Index of the token in the list. */
      idx: number
      /** Address of the list. */
      uri: string
    }
  }
  /** The key that the token is bound to (RFC 7800). */
  cnf?: {
    /** SHA-256 thumbprint of the key (RFC 7638). */
    jkt: string
  }
}

/** An event in the structured JSON form of CloudEvents 1.0. */
export interface CloudEvent {
  /** Always 1.0. */
  specversion: string
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** The issuer of the deployment. */
  source: string
  /** Type of the event, after dev.deputy. */
  type: string
  /** The workflow, or else the agent or the person. */
  subject?: string
  /** When it happened. */
  time: string
  /** Always application/json. */
  datacontenttype: string
  /** Index of the log entry that the event reports. Events come in this order. */
  logindex: number
  /** The tenant that it belongs to. */
  tenantid: string
  /** What happened. The fields depend on the type. */
  data: Record<string, unknown>
}

export interface CollectedSession {
  /** Verification ID. Starts with vrf_. */
  verification_id: string
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** Whether the person was verified. */
  passed: boolean
  /** pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person. */
  decision: 'pass' | 'retry' | 'fail' | 'review'
  /** The result of each modality. */
  modalities: ModalityResult[]
  /** Why it did not pass, in plain words. */
  reasons: string[]
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** The level that it gives, when it passed: L3, or what the verification provider may give. */
  assurance_level?: 'L1' | 'L2' | 'L3'
  /** The trust of tokens at that level. */
  trust_score?: number
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Version of the engine that judged, or the kind of verification provider. */
  engine_version: string
  /** SHA-256 digest of what was judged: of the canonical JSON of `session_id` and `media`, the digests of the recordings in order; at an external provider, of its decision. */
  evidence_hash: string
  /** When the verification provider withdrew its decision. The tokens that were issued on it are revoked. */
  withdrawn_at?: string
  /** When it was judged. */
  verified_at: string
  /** The overall score. For operators and auditors only. */
  score?: number
  /** The token, if one was requested and the person was verified. */
  token?: IssuedToken
}

/** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
export interface Constraints {
  /** Budget of the token and everything below it, in US dollars. */
  max_spend_usd?: number
  /** Maximum spend of a single action, in US dollars. */
  max_spend_per_action_usd?: number
  /** Budgets per period, in US dollars, shared with everything below the token. A spend counts in the period in which its action was allowed, even if it is completed, cancelled or expires later. */
  max_spend_usd_per?: SpendPerPeriod
  /** How much more than its authorized spend a completed action may cost, in percent. An action that costs more is stored with `exceeded: true`, counts as failed, and suspends the token. 0 by default if the token has a spend limit or needs approvals; otherwise there is no such limit. */
  max_overrun_pct?: number
  /** Maximum number of actions in total. */
  max_actions?: number
  /** Maximum number of actions per clock minute. */
  max_actions_per_minute?: number
  /** The token allows nothing before this instant. It must be before the token expires. */
  not_before?: string
  /** The token allows nothing from this instant on. It must be in the future. */
  expires_at?: string
  /** Hours within which the token allows actions. */
  active_hours?: ActiveHours
  /** Maximum number of delegations below this token. 0 forbids delegation. */
  max_delegation_depth?: number
  /** A person must approve an action first if its action or resource is listed or its spend is above the amount. If none of these is given, every action needs approval. */
  require_approval?: RequireApproval
  /** Limits on the arguments of actions: for an action, or `*` for every action, JSON pointers into the `metadata` of the request, each with its limits. An action whose metadata breaks one is denied with `argument_not_allowed`. */
  arguments?: Record<string, Record<string, ArgumentLimit>>
  /** Minimum `gate_score` of the acting agent. An agent without observed or rated actions has a gate score of 0. */
  min_reputation?: number
  /** Minimum score of the acting agent, from vouches without a context (GET /v1/vat/trust/scores/{subject}). The score is computed in the background, at most 5 seconds after a change. An agent whose score has not been computed yet has 0. */
  min_vouch_score?: number
  /** The person behind the token was verified by one of these providers. A token that does not meet this is not issued. */
  verification_providers?: string[]
  /** Audiences that tokens of this chain can name. The audience of the token itself, sent or inherited from its parent, must be one of these. */
  allowed_audiences?: string[]
  [extension: `x_${string}`]: unknown
}

/** A new API key, with its secret. */
export interface CreatedApiKey {
  /** ID of the API key: the 8 characters after dk_. It is not secret. */
  key_id: string
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
  /** Name of the key. */
  name: string
  /** Role of the key. */
  role: 'operator' | 'developer' | 'resource_server' | 'auditor' | 'safety'
  /** For resource servers: the `aud` that tokens must name. */
  audience?: string
  /** When the key was created. */
  created_at: string
  /** When the key expires. */
  expires_at: string
  /** The credential that created the key. */
  created_by: string
  /** The person who got the key by signing in to the dashboard with a provider. Stopping or erasing the person deletes it. */
  held_by?: string
  /** Index of the log entry that created the key. */
  log_index: number
  /** In lists: when the key was last used, to the minute. Absent if it was not used within the last 30 days. */
  last_used_at?: string
  /** The whole key. It is shown only here and stored only as a keyed hash. */
  key: string
}

/** A new webhook, or one with a new key. */
export interface CreatedWebhook {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Tenant of the webhook. */
  tenant_id: string
  /** Where events are sent. */
  url: string
  /** What the webhook is for. */
  description?: string
  /** The types of events that are sent. * means all. */
  events: string[]
  /** Only events of this agent. */
  agent_id?: string
  /** Only events of this workflow. */
  provenance_ref?: string
  /** How the body is written: as an event of this API, as CloudEvents 1.0 in structured mode, or as a row of OCSF. */
  format: 'deputy' | 'cloudevents' | 'ocsf'
  /** How messages are signed, by Standard Webhooks: v1 is HMAC-SHA256 with a shared secret, v1a is Ed25519, which you verify with a public key. */
  signature: 'v1' | 'v1a'
  /** For v1a: the key that verifies messages, whpk_ and base64. During a rotation, the new one. */
  public_key?: string
  /** enabled: the last attempt succeeded, or there was none. failing: attempts fail and are retried. disabled: nothing is sent until you enable it again. */
  status: 'enabled' | 'failing' | 'disabled'
  /** Since when every attempt has failed. */
  failing_since?: string
  /** When the webhook was disabled. */
  disabled_at?: string
  /** failing: no attempt succeeded for three days. gone: the receiver answered 410. key_deleted: the key that created the webhook, or set its address last, was deleted. */
  disabled_reason?: 'failing' | 'gone' | 'key_deleted'
  /** The log index up to which events were sent, or wait to be sent again. */
  next_index?: number
  /** The role that the webhook sees events with: that of the credential that created it. */
  role: string
  /** When the webhook was created. */
  created_at: string
  /** The credential that created the webhook. */
  created_by: string
  /** Index of the log entry of the last change. */
  log_index: number
  /** For v1: the secret that verifies messages, whsec_ and base64. It is shown only here. */
  secret?: string
}

/** A part of what limits a score. */
export interface CutPart {
  /** What is used up: a vouch, an anchor's own weight (`base`), or what a person can pass on (`person`). */
  limit: 'vouch' | 'base' | 'person'
  /** The vouch, if you may see it. */
  vouch_id?: string
  /** The anchor or the person, if you may see them. */
  human_ref?: string
  /** How much it carries at most. */
  capacity: number
}

/** A new token below its parent. */
export interface DelegatedToken {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The token as a compact JWT, signed with Ed25519. */
  compact_jwt: string
  /** The claims of the token: exactly the JWT payload. */
  claims: Claims
  /** The parent token. */
  parent_jti: string
  /** The root token of the workflow. */
  root_jti: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
}

/** An action that the rules denied. */
export interface Denial {
  /** Denial ID. Starts with den_. */
  denial_id: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The token that was used. */
  vat_jti: string
  /** The agent that acted, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** US dollars that the request named. */
  spend_usd: number
  /** The most important reason for the denial. */
  reason:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** Every reason for the denial, the most important first. */
  reasons: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  )[]
  /** Trace ID of the `traceparent` header of the request. */
  trace_id?: string
  /** When the action was denied. */
  created_at: string
  /** Index of the log entry that recorded this. */
  log_index: number
  /** RFC 6962 hash of that log entry, in base64. */
  leaf_hash: string
}

export interface DenialDetail {
  /** The reason that this explains. */
  reason:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** JSON pointer into `metadata` to the value that a limit denies. */
  path?: string
  /** The limit that denies it. `required`: the value is missing. `type`: the value has the wrong type for the limit. */
  rule?: 'required' | 'type' | 'max' | 'min' | 'one_of' | 'matches' | 'max_length'
  /** The limit on spending that is exceeded. */
  limit?: 'max_spend_usd' | 'max_spend_per_action_usd'
  /** The most that this limit still allows one action to spend, in US dollars: the lowest amount of all tokens in the chain. */
  remaining_usd?: number
  /** The period whose budget is used up. */
  period?: 'hour' | 'day' | 'week' | 'month'
  /** When the next period begins or, for a rate limit, the next minute. */
  resets_at?: string
  /** The score of the agent that was kept. */
  vouch_score?: number
  /** The size of the log that this score follows from. Absent if it was never computed. */
  log_size?: number
  /** Why the `approval_id` of the request was not used. unknown: no token in the chain requested it. used: an action already used it. other_request: it was requested for another token, action, resource, spend or metadata. expired: it was not decided or used in time. */
  approval?: 'unknown' | 'used' | 'other_request' | 'expired'
}

/** A denied action of the workflow. With `expand=denials`. */
export interface DenialNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'denial'
  /** Denial ID. Starts with den_. */
  denial_id: string
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** The first reason. */
  reason:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** US dollars that the action would have spent. */
  spend_usd: number
  /** When the action was denied. */
  created_at: string
}

/** The action is denied. `reasons` says why. */
export interface DeniedDecision {
  /** Whether the action is allowed. */
  authorized: false
  /** The pending action record. Present when the action is allowed. Also present when a repeated request (Idempotency-Key) was first allowed and its token is no longer in force: do not act. Cancel the record, or complete it if you have already acted. With the reason record_closed, the record was cancelled or has expired. */
  aar_id?: string
  /** The most important reason for the denial. */
  reason:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** Every reason for the denial, the most important first. */
  reasons: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  )[]
  /** Which arguments are not allowed, which limit on spending is exceeded and what it leaves, which budgets per period are used up, when the minute of a rate limit ends, which score was too low, and why an approval was not used. */
  details?: DenialDetail[]
  /** The stored denial. Present when the action is denied. */
  denial_id?: string
  /** The approval to wait for. Present when the reason is `approval_required`. */
  approval_id?: string
  /** True when nothing was stored. */
  dry_run?: undefined
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** When the pending record expires and releases its reservation. */
  expires_at?: undefined
}

/** The deployment was restored from a backup. */
export interface DeploymentRestoredEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'deployment.restored'
  /** The deployment was restored from a backup. */
  data: {
    /** When the backup was taken. Later changes are lost. */
    backed_up_at: string
    /** The log that the backup was taken of. */
    origin: string
    /** Whether that log continues. If not, a new log begins with the same entries. */
    continues: boolean
    /** The size of the newest known checkpoint of that log. Entries from this one up to that size are lost. */
    newest_size?: number
  }
}

/** Something that happened: an entry of the log, as you may see it. */
export type DeputyEvent =
  | TokenIssuedEvent
  | TokenDelegatedEvent
  | TokenRenewedEvent
  | TokenRevokedEvent
  | TokenSuspendedEvent
  | TokenResumedEvent
  | ActionAuthorizedEvent
  | ActionDeniedEvent
  | ActionCompletedEvent
  | ActionCancelledEvent
  | ActionExpiredEvent
  | ActionRatedEvent
  | ApprovalRequestedEvent
  | ApprovalEndorsedEvent
  | ApprovalEscalatedEvent
  | ApprovalDecidedEvent
  | ApprovalGrantEndedEvent
  | ApprovalHabitEndedEvent
  | BudgetThresholdEvent
  | BudgetExhaustedEvent
  | AgentRegisteredEvent
  | AgentSuspendedEvent
  | AgentResumedEvent
  | AgentRevokedEvent
  | HumanRevokedEvent
  | HumanRefusedEvent
  | HumanAcceptedEvent
  | HumanErasedEvent
  | VouchCreatedEvent
  | VouchChangedEvent
  | VouchWithdrawnEvent
  | AnchorNamedEvent
  | AnchorRemovedEvent
  | AlertFiredEvent
  | VerificationCompletedEvent
  | SessionBegunEvent
  | SessionEndedEvent
  | KeyRotatedEvent
  | KeyWithdrawnEvent
  | AccessChangedEvent
  | DeploymentRestoredEvent
  | WebhookDisabledEvent
  | RegistryChangedEvent

/** What `authorize` would answer. Nothing was stored, so there is no record and no denial. */
export interface DryRunDecision {
  /** Whether the action is allowed. */
  authorized: boolean
  /** The pending action record. Present when the action is allowed. Also present when a repeated request (Idempotency-Key) was first allowed and its token is no longer in force: do not act. Cancel the record, or complete it if you have already acted. With the reason record_closed, the record was cancelled or has expired. */
  aar_id?: undefined
  /** The most important reason for the denial. */
  reason?:
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  /** Every reason for the denial, the most important first. */
  reasons?: (
    | 'token_revoked'
    | 'token_suspended'
    | 'agent_suspended'
    | 'token_expired'
    | 'token_not_yet_valid'
    | 'record_closed'
    | 'action_not_in_scope'
    | 'resource_not_in_scope'
    | 'argument_not_allowed'
    | 'outside_hours'
    | 'budget_exceeded'
    | 'period_budget_exceeded'
    | 'action_limit'
    | 'rate_limit'
    | 'reputation_too_low'
    | 'vouch_score_too_low'
    | 'approval_denied'
    | 'approval_limit_root'
    | 'approval_limit_person'
    | 'approval_required'
  )[]
  /** Which arguments are not allowed, which limit on spending is exceeded and what it leaves, which budgets per period are used up, when the minute of a rate limit ends, which score was too low, and why an approval was not used. */
  details?: DenialDetail[]
  /** The stored denial. Present when the action is denied. */
  denial_id?: undefined
  /** The approval to wait for. Present when the reason is `approval_required`. */
  approval_id?: undefined
  /** True when nothing was stored. */
  dry_run: true
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** When the pending record expires and releases its reservation. */
  expires_at?: undefined
}

/** A person gave their sign of coercion, or their sign was changed. */
export interface DuressAlert {
  /** ID of the alert: that of the verification, if it is about one. */
  alert_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** verification: the person gave their sign. sign_changed: their sign was removed or replaced with a passkey, which a coercer can make them use. */
  about: 'verification' | 'sign_changed'
  /** When the verification was judged, or the sign was changed. */
  at: string
  /** Whether the verification passed. Never true about a changed sign. */
  passed: boolean
  /** The token that was issued. */
  jti?: string
  /** Who the person wants notified. */
  contacts: string[]
  /** Whether the safety channel has taken the alert. */
  sent: boolean
  /** Whether the desk has resolved it. */
  state: 'open' | 'resolved'
  /** What the desk decided. */
  outcome?: 'safe' | 'revoke'
  /** The note of the desk. */
  note?: string
  /** When the desk decided. */
  resolved_at?: string
}

/** The change is stored. */
export interface DuressSaved {
  /** Always true. The response does not show whether a sign was set before. */
  saved: boolean
}

export interface EnrollResult {
  /** Verification ID. Starts with vrf_. */
  verification_id: string
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** Whether the person was verified. */
  passed: boolean
  /** pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person. */
  decision: 'pass' | 'retry' | 'fail' | 'review'
  /** The result of each modality. */
  modalities: ModalityResult[]
  /** Why it did not pass, in plain words. */
  reasons: string[]
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** The level that it gives, when it passed: L3, or what the verification provider may give. */
  assurance_level?: 'L1' | 'L2' | 'L3'
  /** The trust of tokens at that level. */
  trust_score?: number
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Version of the engine that judged, or the kind of verification provider. */
  engine_version: string
  /** SHA-256 digest of what was judged: of the canonical JSON of `session_id` and `media`, the digests of the recordings in order; at an external provider, of its decision. */
  evidence_hash: string
  /** When the verification provider withdrew its decision. The tokens that were issued on it are revoked. */
  withdrawn_at?: string
  /** When it was judged. */
  verified_at: string
  /** The overall score. For operators and auditors only. */
  score?: number
  /** Failed attempts that remain before verification is locked for a while. */
  attempts_left: number
  /** Whether the template was stored. */
  enrolled: boolean
}

/** Approvals that people confirm with a biometric verification of their own: those that match one of the filters, or all without a filter. */
export interface FaceApprovals {
  /** Actions that spend more than this, in US dollars. */
  above_usd?: number
  /** Actions with one of these verbs. */
  actions?: string[]
  /** How old the verification may be when the approval is given, in seconds. */
  max_age_s: number
}

/** Approvals that people confirm with a face. */
export interface FaceApprovalSettings {
  /** Actions that spend more than this, in US dollars. */
  above_usd?: number
  /** Actions with one of these verbs. */
  actions?: string[]
  /** How old the verification may be, in seconds. */
  max_age_s: number
}

/** What the person allowed in advance with this approval. */
export interface GivenGrant {
  /** When the grant ends. */
  expires_at: string
  /** Most that may be asked for under the grant, the approved action included, in US dollars. */
  max_spend_usd: number
}

/** Requests that a person allowed beforehand for some time. */
export interface Grant {
  /** The approval that the grant was given with. It identifies the grant. */
  approval_id: string
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** The root token. The grant covers no token of another root. */
  root_jti: string
  /** When the grant ends. */
  expires_at: string
  /** Most that may be asked for under the grant, in US dollars. */
  max_spend_usd: number
  /** Total requested so far, including the approved action, in US dollars. */
  spent_usd: number
  /** Requests that it approved. */
  uses: number
}

/** Allows requests of the same root token, agent, action, resource and metadata fields in advance, until it ends or the total is used up. */
export interface GrantRequest {
  /** How long it lasts, in minutes. */
  minutes: number
  /** Maximum total that can be requested, including the approved action, in US dollars. By default the spend of the approved action, so that further actions must be free. */
  max_spend_usd?: number
}

/** An edge of the execution graph. */
export interface GraphEdge {
  /** delegated: from a person to the root token, from a token to its child, or from a token to the agent that holds it. performed: from an agent to its action. caused: from an action to an action that it led to. denied: from an agent to a denial. asked: from an agent to an approval. rated: from a rating to its action. */
  type: 'delegated' | 'performed' | 'caused' | 'denied' | 'asked' | 'rated'
  /** Node that the edge starts at. */
  from: string
  /** Node that the edge ends at. */
  to: string
  /** On a performed, denied or asked edge: the token that was used. */
  token?: string
}

/** A node of the execution graph. */
export type GraphNode =
  | ActionNode
  | TokenNode
  | AgentNode
  | HumanNode
  | DenialNode
  | ApprovalNode
  | RatingNode

/** A repeated approval that `auto_approve_after` can give automatically. */
export interface Habit {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Action verb. */
  action: string
  /** Resource, as `<namespace>:<name>`. */
  resource: string
  /** The root token. Tokens of other roots have habits of their own. */
  root_jti: string
  /** Largest amount that it covers, in US dollars: the largest one that a person approved, at most twice the median of those amounts. */
  covers_usd: number
  /** Approvals by a person since the last denial. */
  approvals: number
  /** Approvals that were given automatically. */
  auto_approvals: number
  /** When a person last approved. */
  last_human_at: string
}

/** The token that the person is asked to confirm. Its members are those of capture. */
export interface HostedTokenRequest {
  /** The agent that gets a token. */
  agent_id: string
  /** Resources that the token covers, each as `<namespace>:<name>` or `<namespace>:*`. */
  resources: string[]
  /** Actions that the token allows on each of these resources. */
  actions: string[]
  /** Limits that the service enforces. Each can only become narrower along a chain. Fields that start with x_ are passed on unchanged, for resource servers. */
  constraints?: Constraints
  /** Lifetime in seconds. One hour by default, at most eight hours. An L3 token ends at most eight hours after the verification, and at most as long after it as its policies allow, even if that is sooner. */
  expires_in?: number
  /** The one service that accepts the token (the `aud` claim). */
  audience?: string
  /** Public key of the agent as a JWK: Ed25519 (kty, crv, x) or P-256 (kty, crv, x, y), with no other members. The token is then bound to the key (`cnf.jkt`). */
  agent_jwk?: Record<string, unknown>
  /** Policies that the token must meet. The service checks each rule and signs the result into the token. This is a mapping of controls, not a certification. */
  policy_assertions?: ('HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3')[]
  /** What the token is for, in your own words. Stored encrypted and deleted when the person is erased. */
  purpose?: string
}

/** A person accepts new tokens in their name again. */
export interface HumanAcceptedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'human.accepted'
  /** A person accepts new tokens in their name again. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** The personal data of a person was erased. */
export interface HumanErasedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'human.erased'
  /** The personal data of a person was erased. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** The person behind the workflow. */
export interface HumanNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'human'
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
}

/** A person no longer accepts new tokens in their name. */
export interface HumanRefusedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'human.refused'
  /** A person no longer accepts new tokens in their name. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** Every token of a person was revoked. */
export interface HumanRevokedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'human.revoked'
  /** Every token of a person was revoked. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** 95 % Wilson confidence interval. */
export interface Interval {
  /** Lower bound. */
  low: number
  /** Upper bound. */
  high: number
}

/** A new token. */
export interface IssuedToken {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The token as a compact JWT, signed with Ed25519. */
  compact_jwt: string
  /** The claims of the token: exactly the JWT payload. */
  claims: Claims
}

/** A passkey that signs in to the dashboard with the role of an API key. */
export interface KeyPasskey {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  passkey_id: string
  /** The API key that it signs in with. It ends with that key. */
  key_id: string
  /** Name of that key. */
  key_name: string
  /** Name of the passkey. */
  name: string
  /** Transports that the authenticator supports. */
  transports: string[]
  /** Whether the passkey is synced between devices. */
  backed_up: boolean
  /** True when the signature counter went backwards, so a copy may exist. The passkey is no longer accepted. */
  suspected_clone: boolean
  /** When the passkey was registered. */
  created_at: string
  /** When the passkey was last used. */
  last_used_at?: string
}

/** New keys sign from now on. */
export interface KeyRotatedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'key.rotated'
  /** New keys sign from now on. */
  data: {
    /** The key that signs tokens from now on. */
    kid: string
    /** The key that signs status lists from now on. */
    status_lists_kid?: string
    /** The key that signs statements from now on. */
    statements_kid?: string
  }
}

/** A JWK Set (RFC 7517). */
export interface KeySet {
  /** The public keys. */
  keys: {
    /** Key type. */
    kty: string
    /** Curve. */
    crv: string
    /** The public key, in base64url. */
    x: string
    /** Key ID. */
    kid: string
    /** Algorithm. */
    alg: string
    /** Use of the key. */
    use: string
    /** What the key signs: tokens, status_lists or statements. Do not accept it for anything else. */
    purpose: string
  }[]
}

/** A signing key was withdrawn, because it may be stolen. */
export interface KeyWithdrawnEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'key.withdrawn'
  /** A signing key was withdrawn, because it may be stolen. */
  data: {
    /** The key that was withdrawn. */
    kid: string
    /** Everything that the key signed from then on is void. */
    from: string
  }
}

export interface LevelCheck {
  /** The assurance level is at least the value. */
  kind: 'min_level'
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  value: 'L1' | 'L2' | 'L3'
}

export interface LifetimeCheck {
  /** The lifetime is at most the value. */
  kind: 'max_lifetime_s'
  /** Seconds. */
  value: number
}

/** An approval in a list. */
export interface ListedApproval {
  /** Approval ID. Starts with apr_. */
  approval_id: string
  /** State of an approval. pending: waiting for a decision. expired: it was not decided or used in time, or its token or one above it was revoked. Approvals of suspended tokens stay as they are. */
  state: 'pending' | 'approved' | 'denied' | 'expired'
  /** The token that the agent asked with. */
  vat_jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The agent that asked, with the agent: prefix. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Action that the agent wants to take. */
  action: string
  /** Resource that the agent wants to act on. */
  resource: string
  /** Estimated cost in US dollars. */
  spend_usd: number
  /** The metadata that was sent with the action. */
  metadata?: Record<string, unknown>
  /** The metadata as lines to show to a person, starting with the call that a guard describes in `metadata.request`. Hidden and misleading characters are replaced by their code points. */
  summary?: string[]
  /** How many people must approve. */
  required: number
  /** Who must approve. Absent when the person that the agent acts for decides alone. */
  approvers?: RequiredApprovers[]
  /** The decisions so far, oldest first. */
  decisions: ApproverDecision[]
  /** When the agent asked. */
  created_at: string
  /** When the approval expires if it is not decided. It expires earlier if its token is revoked. */
  expires_at: string
  /** When the approval was decided. */
  decided_at?: string
  /** The `human_ref` of the person who decided; `human` in open mode; `review_desk` for an action that was held for review; `habit` when the approval was given automatically under `auto_approve_after`; `grant` when a person had allowed it in advance. */
  decided_by?: string
  /** The note that came with the decision. */
  note?: string
  /** What the person allowed in advance with this approval. */
  grant?: GivenGrant
  /** The approval whose grant approved this one. Present when `decided_by` is `grant`. */
  grant_id?: string
  /** The action record that used the approval. */
  used_by?: string
  /** True when personal fields are missing because the person was erased. */
  erased?: boolean
  /** Index of the log entry that created the approval. */
  log_index: number
  /** Index of the log entry that holds the decision. */
  decided_log_index?: number
  /** The token that the agent asked with. With `expand=token`. */
  token?: ApprovalToken
  /** The agent that asked. With `expand=agent`. */
  agent?: ApprovalAgent
}

/** A person in whose name a token was issued. */
export interface ListedPerson {
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Assurance levels of the tokens. */
  assurance_levels: ('L1' | 'L2' | 'L3')[]
  /** Tokens of the person, at most 200. */
  tokens: number
  /** Tokens among them that are neither expired nor revoked themselves. */
  live_tokens: number
  /** Requests for approval that wait for the person. */
  waiting: number
  /** When the first token was issued. */
  first_seen_at?: string
  /** When the person was erased. */
  erased_at?: string
  /** Since when the person refuses new tokens in their name. */
  refused_at?: string
}

/** One entry of the log. */
export interface LogEntry {
  /** Index of the entry, from 0 on. */
  index: number
  /** The hashed text: RFC 8785 canonical JSON. Its `salt` has 128 random bits, so that the public hash cannot be used to confirm a guess. */
  leaf: string
  /** RFC 6962 hash of the leaf, in base64. */
  leaf_hash: string
}

/** How messages reach the people of the tenant. */
export interface MessageSettings {
  /** Kinds of channels that people and operators of the tenant may use. Absent: any. */
  channels?: ('email' | 'push' | 'slack' | 'teams' | 'webhook')[]
  /** Minutes after which an unanswered approval request also goes to others. Absent: never. */
  escalate_after_minutes?: number
  /** Who it goes to, by `human_ref`: reviewers of the tenant, because only they may decide for others. Absent: all reviewers. */
  escalate_to?: string[]
  /** The signing secret of your Slack app, if it has interactivity on. Stored encrypted and never shown. The request URL of the app is /v1/vat/notifications/slack/{tenant_id}/interactions. */
  slack_signing_secret?: string
}

/** The result of one modality. */
export interface ModalityResult {
  /** What was judged, by the built-in engine or by a verification provider. */
  name:
    | 'face_liveness'
    | 'deepfake_detection'
    | 'speech_match'
    | 'lip_sync'
    | 'challenge_response'
    | 'finger_gesture'
    | 'duress_detection'
    | 'document'
    | 'liveness'
    | 'face_match'
    | 'database'
  /** Whether it passed. */
  passed: boolean
  /** How it was judged, such as parallax or passkey. */
  method: string
  /** Why it failed, in plain words. */
  reasons: string[]
  /** Score, 0 to 1. For operators and auditors only. */
  score?: number
  /** Measured values. For operators and auditors only. */
  measures?: Record<string, number>
}

/** How messages reach a person, or the operators of a tenant. */
export interface Notifications {
  /** Every channel, oldest first. */
  channels: Channel[]
  /** IANA name of the time zone in which messages give times. UTC by default. */
  time_zone?: string
  /** Hours in which nothing is sent. Messages that wait are sent together when they end. Urgent alerts are always sent. */
  quiet_hours?: QuietHoursSetting
  /** Kinds of channels that can be added: the deployment has what they need, and the tenant allows them. */
  available: ('email' | 'push' | 'slack' | 'teams' | 'webhook')[]
  /** The key that a browser subscribes with (`applicationServerKey`), base64url. */
  push_key: string
}

/** A registered passkey. */
export interface Passkey {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  passkey_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Name of the passkey. */
  name: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Whether it was registered in open mode, where any program on the machine could do so. In keyed mode it does not count. */
  open_mode_only: boolean
  /** Transports that the authenticator supports. */
  transports: string[]
  /** Whether the passkey is synced between devices. */
  backed_up: boolean
  /** True when the signature counter went backwards, so a copy may exist. The passkey is no longer accepted. */
  suspected_clone: boolean
  /** When the passkey was registered. */
  created_at: string
  /** When the passkey was last used. */
  last_used_at?: string
}

export interface PeriodBudget {
  /** The token that holds the budget. */
  jti: string
  /** The period. */
  period: 'hour' | 'day' | 'week' | 'month'
  /** US dollars that the period allows. */
  limit_usd: number
  /** US dollars spent by actions that the period allowed. */
  spent_usd: number
  /** US dollars reserved by pending records of the period. */
  reserved_usd: number
  /** US dollars that are left. */
  remaining_usd: number
  /** When the period began. */
  starts_at: string
  /** When the next period begins. */
  resets_at: string
}

export interface PlainCheck {
  /** The property that must hold. */
  kind: 'no_wildcard' | 'key_bound' | 'named_human' | 'logged' | 'revocable' | 'decided_per_request'
}

/** A mapping of controls to checks of a token. */
export interface Policy {
  /** Name of the policy. */
  name: 'HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3'
  /** Version of the mapping, not of the framework itself. */
  version: string
  /** Title of the policy. */
  title: string
  /** What the policy does not claim. */
  note: string
  /** The rules. */
  rules: PolicyRule[]
}

/** A policy that the token met when it was issued. */
export interface PolicyAssertion {
  /** Name of the policy. */
  framework: 'HIPAA' | 'HIPAA_L3' | 'SOC2' | 'SOC2_VOUCHED' | 'NIST_ZTA' | 'NIST_ZTA_L3'
  /** Version of the mapping, not of the framework itself. */
  version: string
  /** The rules that were met. */
  controls: {
    /** The control of the framework that the rule maps to. */
    id: string
    /** The rule, in one sentence. */
    rule: string
    /** What the check found. */
    evidence: string
  }[]
}

/** The check that the service makes. */
export type PolicyCheck = LifetimeCheck | LevelCheck | VerificationAgeCheck | VouchScoreCheck | PlainCheck

/** A rule of a policy. */
export interface PolicyRule {
  /** Name of the rule within its policy. */
  id: string
  /** The control of the framework that the rule maps to. */
  control: string
  /** The rule, in one sentence. */
  sentence: string
  /** The check that the service makes. */
  check: PolicyCheck
}

/** A sign-in provider, the verification engine, or a verification provider. */
export interface Provider {
  /** Name of a sign-in provider, as GET /v1/vat/auth/providers lists it. */
  name: string
  /** How the provider proves a person: by sign-in, by the built-in verification engine, or by an identity check elsewhere. */
  protocol: 'oidc' | 'builtin' | 'external'
  /** Issuer URL of a sign-in provider. */
  issuer?: string
  /** Kind of verification provider. `sandbox` does not verify people. */
  kind?: string
  /** Assurance level that it gives. */
  assurance_level: 'L2' | 'L3'
  /** What the verification engine judges. */
  modalities?: string[]
}

/** Keys that encrypt messages for the browser. */
export interface PushKeys {
  /** Public key of the browser. */
  p256dh: string
  /** Secret of the browser. */
  auth: string
}

/** `push`: what `PushSubscription.toJSON()` gives, without `expirationTime`. */
export interface PushSubscription {
  /** Address at the push service of the browser. */
  endpoint: string
  /** Keys that encrypt messages for the browser. */
  keys: PushKeys
}

/** Hours in which nothing is sent. Messages that wait are sent together when they end. Urgent alerts are always sent. */
export interface QuietHours {
  /** IANA name of the time zone, such as Europe/Berlin or UTC. */
  time_zone: string
  /** Days on which the hours apply. Every day by default. */
  days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** First minute, as HH:MM. */
  from: string
  /** End, as HH:MM, exclusive. 24:00 is midnight. If it is earlier than `from`, the hours run past midnight. It cannot equal `from`: the whole day is 00:00 to 24:00. */
  to: string
}

/** Hours in which nothing is sent. Messages that wait are sent together when they end. Urgent alerts are always sent. */
export interface QuietHoursSetting {
  /** IANA name of the time zone. */
  time_zone: string
  /** Days on which the hours apply. */
  days?: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[]
  /** First minute, as HH:MM. */
  from: string
  /** End, as HH:MM, exclusive. */
  to: string
}

/** An agent and its score. */
export interface RankedAgent {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** The flow f as a score: f / (f + 1), rounded down to 6 decimals. */
  score: number
  /** In full words, with 6 decimals: 1 is the whole word of one perfect verified person. */
  flow: number
}

/** Number of actions by rating. */
export interface RatingCounts {
  /** Actions rated approved. */
  approved: number
  /** Actions rated flagged. */
  flagged: number
  /** Actions rated rejected. */
  rejected: number
}

/** The rating of an action. With `expand=ratings`. */
export interface RatingNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'rating'
  /** The action that was rated. */
  aar_id: string
  /** How the person rated the action: approved (good), flagged (a problem) or rejected (bad). */
  rating: 'approved' | 'flagged' | 'rejected'
  /** How the rater was verified. */
  rater_assurance: string
  /** When the action was rated. */
  created_at: string
}

/** Proof that an action is in the log. */
export interface Receipt {
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** Name of the log. */
  origin: string
  /** Verifier key of the log. Compare it with the key that you pinned. */
  vkey: string
  /** The log entries of the action, oldest first. */
  entries: {
    /** The event that the entry records. */
    kind: 'created' | 'completed' | 'rated'
    /** Index of the entry, from 0 on. */
    index: number
    /** The hashed text: RFC 8785 canonical JSON. Its `salt` has 128 random bits, so that the public hash cannot be used to confirm a guess. */
    leaf: string
    /** RFC 6962 hash of the leaf, in base64. */
    leaf_hash: string
    /** Hashes from the leaf up, in the order of RFC 6962. */
    proof: string[]
  }[]
  /** The signed note that the proofs lead to. */
  checkpoint: string
  /** A compact JWS of type `receipt+jwt` with the same content, signed with the key that signs tokens. */
  statement: string
}

export interface RecordActionRequest {
  /** The token that allows the action. */
  vat_jti: string
  /** Action verb: 1 to 128 printable characters in Unicode normal form C, with single spaces only inside, and without control characters or *. */
  action: string
  /** One resource, `<namespace>:<name>`. At most 200 bytes of UTF-8 in Unicode normal form C, without blanks, control characters or *. The first colon ends the namespace; the name may contain more. */
  resource: string
  /** Outcome of the action: a letter of any script, then up to 63 letters of the same script, digits, . _ @ + / - and single inner spaces. `success` scores 1, `partial` 0.5, `cancelled` is left out of the score, and any other outcome scores 0. */
  result: string
  /** SHA-256 digest of the result, if you keep the result elsewhere: sha256: followed by 1 to 64 hexadecimal digits. Stored in lower case. */
  result_hash?: string
  /** Cost in US dollars. It is charged to every budget. */
  spend_usd?: number
  /** The action record in the same workflow that caused this action. */
  parent_aar_id?: string
  /** The approval for this action. It must match the token, action, resource, spend and metadata, and it can be used once. */
  approval_id?: string
  /** Your own facts about the action: at most 64 members and 4 KiB of JSON. */
  metadata?: Record<string, unknown>
}

export interface RecordActionResponse {
  /** Always true. A denied action is refused with `not_allowed`. */
  recorded: boolean
  /** Action record ID. Starts with aar_. */
  aar_id: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Base trust of the assurance level, multiplied by 0.9 for each delegation. */
  trust_score: number
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
}

/** The result of `navigator.credentials.create()` as JSON (WebAuthn Level 3). */
export interface RegistrationResponse {
  /** Credential ID of the passkey, in base64url. It is not secret. */
  id: string
  /** The credential ID again, in base64url. */
  rawId: string
  /** Always public-key. */
  type: 'public-key'
  /** How the authenticator is attached: platform or cross-platform. */
  authenticatorAttachment?: string
  /** Results of client extensions. */
  clientExtensionResults: Record<string, unknown>
  /** The response of the authenticator. */
  response: {
    /** The client data, in base64url. */
    clientDataJSON: string
    /** The attestation object, in base64url. */
    attestationObject: string
    /** The authenticator data, in base64url. */
    authenticatorData?: string
    /** Transports that the authenticator supports. */
    transports?: string[]
    /** COSE algorithm of the key. */
    publicKeyAlgorithm?: number
    /** The public key, in base64url. */
    publicKey?: string
  }
}

/** An entry that operators manage changed, such as an API key or a tenant. */
export interface RegistryChangedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'registry.changed'
  /** An entry that operators manage changed, such as an API key or a tenant. */
  data: {
    /** What changed: tenant, api_key, passkey, identity, biometric and others. */
    kind: string
    /** The entry: SHA-256 of its ID, such as the ID of an API key, after sha256:. */
    entry_ref: string
    /** The person that it belongs to. */
    human_ref?: string
    /** Whether it was removed. */
    removed: boolean
    /** Whose call changed it: key: with the SHA-256 of the ID of an API key, or human: with the human_ref of a person. Absent in open mode, and for changes that follow from something else, such as a verification or the end of a retention period. */
    by?: string
  }
}

/** How well an agent has done, from outcomes and ratings. */
export interface Reputation {
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** All action records, pending ones included. */
  total_actions: number
  /** Mean outcome of completed actions. 0.5 if there are none. */
  execution_score: number
  /** Mean rating. 0.5 if there are none. */
  feedback_score: number
  /** 0.6 × execution_score + 0.4 × feedback_score. */
  combined_reputation: number
  /** Whether any action has been rated. */
  has_human_feedback: boolean
  /** The score that the constraint `min_reputation` requires: the lower end of the 95 % Wilson interval over outcomes that resource servers observed and ratings by people. Outcomes that the agent reports itself count a quarter, and together never more than that evidence. 0 without observed or rated actions. */
  gate_score: number
  /** Completed action records. */
  completed_actions: number
  /** Number of actions by rating. */
  ratings: RatingCounts
  /** 95 % Wilson confidence interval of execution_score. */
  execution_interval: Interval
  /** 95 % Wilson confidence interval of feedback_score. */
  feedback_interval: Interval
  /** When the agent got its first token or was registered. */
  first_seen_at: string
  /** When the agent last acted. */
  last_action_at?: string
}

/** A person must approve an action first if its action or resource is listed or its spend is above the amount. If none of these is given, every action needs approval. */
export interface RequireApproval {
  /** Actions that need approval. */
  actions?: string[]
  /** Resources that need approval. */
  resources?: string[]
  /** Spend in US dollars above which an action needs approval. */
  above_usd?: number
  /** After this many approvals by a person without a denial, approve equal requests automatically: the same root token, agent, action and resource, the same metadata fields, and at most the largest amount that a person approved and twice the median of those amounts. Some requests still go to the person, and the habit ends 30 days after the last approval by a person. Has no effect together with `approvers`. */
  auto_approve_after?: number
  /** Who must approve: `count` of the named people, or of those with a role. Give either `people` or `role`. The person that the agent acts for cannot be the only one who approves. Needs keyed mode. */
  approvers?: Approvers
}

/** Who must approve, as a token of the chain or the review of the organization says. */
export interface RequiredApprovers {
  /** How many of them must approve. */
  count: number
  /** The people who can approve, by `human_ref`. */
  people?: string[]
  /** The role that can approve: `reviewer`, `person` for the person that the agent acts for, whom another token of the chain or an alert asks, or `review_desk` for an action that is held for review. */
  role?: string
}

/** What the organization reviews before it happens. The safety desk decides: a credential with the role safety. */
export interface Review {
  /** Percentage of new L3 tokens, picked at random, whose actions are held for review if they spend or are more than a plain read. Which tokens are picked is not shown. */
  sample_pct?: number
  /** Actions of new L3 tokens that spend more than this, in US dollars, are held for review. */
  above_usd?: number
}

/** What is held for review. Shown to operators and auditors only. */
export interface ReviewSettings {
  /** Share of new L3 tokens that are picked, in percent. */
  sample_pct?: number
  /** Actions of new L3 tokens that spend more than this are held, in US dollars. */
  above_usd?: number
}

/** Refusals of one kind that one caller got in one hour. */
export interface SecurityEvent {
  /** The error code that the callers got. */
  kind:
    | 'credential_invalid'
    | 'role_not_allowed'
    | 'not_yours'
    | 'step_up_required'
    | 'passkey_refused'
    | 'cross_site_request'
    | 'host_not_allowed'
    | 'rate_limited'
  /** What was wrong with the credential, such as `proof_replayed`. */
  reason?: string
  /** The credential that was used: `key:<key_id>`, `human:<human_ref>`, `agent:<jti digest>`, `public` for a caller without a valid one, or `others` when too many callers were refused in that hour to name them. */
  caller: string
  /** Where callers without a valid credential came from: the first 24 bits of an IPv4 address, or 48 of IPv6. */
  network?: string
  /** The operation that was called first, or `page`. */
  operation: string
  /** The hour that is counted. */
  hour: string
  /** How often. */
  count: number
  /** When it happened first in that hour. */
  first_at: string
  /** When it happened last in that hour. */
  last_at: string
}

/** Who asks. The service knows it from the credential. */
export interface SessionAsker {
  /** Name of the tenant. */
  tenant_name: string
  /** Name of the API key that prepared the session. */
  name?: string
  /** Whether the person prepared the session themselves. */
  is_person: boolean
}

/** A person signed in. */
export interface SessionBegunEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'session.begun'
  /** A person signed in. */
  data: {
    /** The person. */
    human_ref: string
    /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
    assurance_level: 'L1' | 'L2' | 'L3'
  }
}

/** The consent that opening needs. */
export interface SessionConsent {
  /** Version of the current consent text (GET /v1/vat/auth/consent). */
  version: string
  /** Whether opening needs `consent`. */
  is_required: boolean
}

/** A person signed out, or their session was ended. */
export interface SessionEndedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'session.ended'
  /** A person signed out, or their session was ended. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** How SETs reach the receiver. */
export interface SignalDelivery {
  /** urn:ietf:rfc:8936: the receiver polls. urn:ietf:rfc:8935: the service pushes. */
  method: 'urn:ietf:rfc:8936' | 'urn:ietf:rfc:8935'
  /** Where the receiver polls, or where SETs are pushed to. */
  endpoint_url: string
}

/** A stream of signals (Shared Signals Framework 1.0). */
export interface SignalStream {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** The `iss` of the SETs. */
  iss: string
  /** The `aud` of the SETs. */
  aud: string
  /** How SETs reach the receiver. */
  delivery: SignalDelivery
  /** Event types that the service supports. */
  events_supported: (
    | 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
    | 'https://schemas.openid.net/secevent/caep/event-type/token-claims-change'
  )[]
  /** Event types that the receiver wants. */
  events_requested: string[]
  /** Event types that the stream carries. */
  events_delivered: (
    | 'https://schemas.openid.net/secevent/caep/event-type/session-revoked'
    | 'https://schemas.openid.net/secevent/caep/event-type/token-claims-change'
  )[]
  /** For push: seconds between two verification events. Asking sooner answers 429. */
  min_verification_interval?: number
  /** What the stream is for. */
  description?: string
  /** When the stream was created. */
  created_at: string
  /** The credential that created the stream. Absent for streams of earlier versions. */
  created_by?: string
}

/** Whether a stream delivers. */
export interface SignalStreamState {
  /** Stream ID. Starts with str_. */
  stream_id: string
  /** enabled: SETs are delivered. paused: they are kept until the stream is enabled again. disabled: events in the meantime are not delivered. */
  status: 'enabled' | 'paused' | 'disabled'
  /** Why, in the words of the caller who set it. */
  reason?: string
}

/** A session in a browser. */
export interface SignIn {
  /** The session. It is not secret. */
  session_id: string
  /** Role of the session. */
  role: 'operator' | 'developer' | 'auditor' | 'human'
  /** The API key that the session stands for. */
  key_id?: string
  /** Name of that key. */
  key_name?: string
  /** The person who signed in. */
  human_ref?: string
  /** Whether this call was made in the session. */
  current: boolean
  /** When the session began. */
  started_at: string
  /** When the session expires unless it is used. */
  expires_at: string
}

/** A signing key of the service. */
export interface SigningKey {
  /** Key ID, as the header `kid` of tokens and statements names it. */
  kid: string
  /** What the key signs: tokens, status lists, or statements (the revocation feed and receipts). Verifiers do not accept it for anything else. */
  purpose: 'tokens' | 'status_lists' | 'statements'
  /** Whether the key signs now (`active`), is published and signs after the next rotation (`next`), only verifies (`retired`), or was stolen (`withdrawn`). */
  status: 'active' | 'next' | 'retired' | 'withdrawn'
  /** When the key was created. */
  created_at: string
  /** When the key began to sign. */
  active_from?: string
  /** When the key was retired. */
  retired_at?: string
  /** How long the public key stays published. */
  published_until?: string
  /** When the key was withdrawn. */
  withdrawn_at?: string
  /** Everything that the key signed from then on is void. */
  withdrawn_from?: string
}

/** Budgets per period, in US dollars, shared with everything below the token. A spend counts in the period in which its action was allowed, even if it is completed, cancelled or expires later. */
export interface SpendPerPeriod {
  /** Maximum spend in a clock hour. */
  hour?: number
  /** Maximum spend in a calendar day. */
  day?: number
  /** Maximum spend in a week. Weeks begin on Monday. */
  week?: number
  /** Maximum spend in a calendar month. */
  month?: number
  /** IANA name of the time zone of the calendar. UTC by default. */
  time_zone?: string
}

/** Everything in the answer, added up. */
export interface StatsCounts {
  /** Actions that were allowed in this time. */
  allowed: number
  /** Actions that were completed, whatever their result. */
  completed: number
  /** Completed actions with the result success. */
  succeeded: number
  /** Pending actions that were cancelled. */
  cancelled: number
  /** Pending actions that expired. */
  expired: number
  /** Actions that were denied. */
  denied: number
  /** Spend of the actions that were completed in this time, in US dollars. */
  spend_usd: number
  /** Questions that went to a person. */
  approvals_asked: number
  /** Approvals that a habit or a grant gave, without asking a person. */
  approvals_automatic: number
  /** Questions that people approved in this time. */
  approvals_approved: number
  /** Questions that people denied in this time. */
  approvals_denied: number
  /** How long people took for these decisions, on average. Absent if there are none. */
  mean_decision_ms?: number
}

/** The counts of one bucket and group. */
export interface StatsRow {
  /** Where the bucket begins. */
  start: string
  /** The agent, with `group_by=agent`. */
  agent_id?: string
  /** The action, with `group_by=action`. */
  action?: string
  /** The resource, with `group_by=resource`. */
  resource?: string
  /** The reason of the denials, with `group_by=reason`. */
  reason?: string
  /** The tenant, with `group_by=tenant`. */
  tenant_id?: string
  /** All groups beyond `limit`, added up. They have no name here. */
  other?: true
  /** Actions that were allowed in this time. */
  allowed: number
  /** Actions that were completed, whatever their result. */
  completed: number
  /** Completed actions with the result success. */
  succeeded: number
  /** Pending actions that were cancelled. */
  cancelled: number
  /** Pending actions that expired. */
  expired: number
  /** Actions that were denied. */
  denied: number
  /** Spend of the actions that were completed in this time, in US dollars. */
  spend_usd: number
  /** Questions that went to a person. */
  approvals_asked: number
  /** Approvals that a habit or a grant gave, without asking a person. */
  approvals_automatic: number
  /** Questions that people approved in this time. */
  approvals_approved: number
  /** Questions that people denied in this time. */
  approvals_denied: number
  /** How long people took for these decisions, on average. Absent if there are none. */
  mean_decision_ms?: number
}

/** What the commits of one minute took. */
export interface StatusMinute {
  /** The minute. */
  start: string
  /** Commits of this node. */
  commits: number
  /** Changes that they made durable. */
  commands: number
  /** Commits that failed. Their changes were refused. */
  failures: number
  /** Half of the commits took at most this long, to about a quarter. */
  p50_ms: number
  /** 99 of 100 commits took at most this long, to about a quarter. */
  p99_ms: number
  /** The most changes that waited for a commit. */
  most_waiting: number
  /** Memory of the process at the first commit of the minute. */
  memory_bytes: number
}

/** Why a step must be repeated. */
export interface StepReason {
  /** Name of the reason. */
  code: string
  /** What to do, in plain words. */
  detail: string
}

/** When the rule fires. A condition has exactly the members of its kind. */
export interface StoredAlertCondition {
  /** denials: more than `more_than` denials within `within_minutes`. budget: a budget of the agent reached `percent`. rejected: a person rated an action rejected. chain: the agent got a token deeper than `deeper_than`. new_use: the agent did something (`of: action`) or acted on something (`of: resource`) for the first time ever. unusual_hours: it acted at an hour of the day (UTC) when it never acts, not even an hour before or after. spend_rate: it spent in one hour more than `times` its highest hour, and at least `at_least_usd`. The last three compare with the 28 days before, and wait until the agent has acted on 7 days. */
  kind: 'denials' | 'budget' | 'rejected' | 'chain' | 'new_use' | 'unusual_hours' | 'spend_rate'
  /** For denials. */
  more_than?: number
  /** For denials. */
  within_minutes?: number
  /** For budget. */
  percent?: '50' | '80' | '100'
  /** For chain. */
  deeper_than?: number
  /** For new_use. */
  of?: 'action' | 'resource'
  /** For spend_rate. */
  times?: number
  /** For spend_rate. */
  at_least_usd?: number
}

/** Resources and actions of a token. Each action applies to each resource. */
export interface StoredScope {
  /** Resources, as `<namespace>:<name>` or `<namespace>:*`. */
  resources: string[]
  /** Action verbs. */
  actions: string[]
}

/** How SETs reach the receiver. By default it polls. */
export interface StreamDelivery {
  /** urn:ietf:rfc:8936: the receiver polls. urn:ietf:rfc:8935: the service pushes. */
  method: 'urn:ietf:rfc:8936' | 'urn:ietf:rfc:8935'
  /** For push, where SETs are sent: an https address on the public internet, port 443 or 8443. Others need an entry in DEPUTY_OUTBOUND_ALLOW. */
  endpoint_url?: string
  /** For push, the value of the Authorization header of each request. It is never shown again. */
  authorization_header?: string
}

/** The state of a token after a call to suspend or resume it. */
export interface Suspension {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Whether the token is suspended now. */
  suspended: boolean
  /** Whether this call changed anything. */
  changed: boolean
  /** When the call was carried out. */
  at: string
  /** Rank of the caller who suspended it. Only this rank or a higher one can resume it. */
  suspended_by?: 'agent' | 'developer' | 'person' | 'operator'
}

/** A tenant and its settings. */
export interface Tenant {
  /** Tenant ID: lower-case letters, digits and hyphens. It never changes. */
  tenant_id: string
  /** Name to show to people. */
  name: string
  /** Whether agents may use tokens that are not bound to a key. */
  allow_bearer: boolean
  /** Groups of calls that people must confirm with a fresh passkey. */
  step_up: ('rate' | 'approve' | 'issue_l2' | 'revoke_many' | 'erase' | 'passkeys' | 'duress' | 'vouch')[]
  /** People, by `human_ref`, who may rate and approve for everyone in the tenant. */
  reviewers: string[]
  /** Requests per minute for the whole tenant, on each node. */
  rate_limit?: number
  /** Who verifies people of the tenant. */
  verification?: VerificationSettings
  /** What is held for review. Shown to operators and auditors only. */
  review?: ReviewSettings
  /** Approvals that people confirm with a face. */
  face_approvals?: FaceApprovalSettings
  /** How messages reach the people of the tenant. */
  messages?: TenantMessages
  /** Models of authenticators, by AAGUID, that people may register passkeys with. Absent: any. */
  passkey_aaguids?: string[]
  /** When the tenant was created. */
  created_at: string
  /** Index of the log entry of the last change. Absent before the first. */
  log_index?: number
}

/** How messages reach the people of the tenant. */
export interface TenantMessages {
  /** Kinds of channels that may be used. Absent: any. */
  channels?: ('email' | 'push' | 'slack' | 'teams' | 'webhook')[]
  /** Minutes after which an unanswered approval request also goes to others. */
  escalate_after_minutes?: number
  /** Who it goes to, by `human_ref`. Absent: all reviewers. */
  escalate_to?: string[]
  /** Whether the signing secret of a Slack app is stored. */
  slack_interactions: boolean
}

/** The budget in the chain with the least left. */
export interface TightestBudget {
  /** The token that holds the budget. */
  jti: string
  /** Budget in US dollars. */
  allocated_usd: number
  /** US dollars spent. */
  spent_usd: number
  /** US dollars reserved by pending records. */
  reserved_usd: number
  /** US dollars that can still be spent. Negative when overspent. */
  remaining_usd: number
}

/** A token was delegated from another one. */
export interface TokenDelegatedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.delegated'
  /** A token was delegated from another one. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
    assurance_level: 'L1' | 'L2' | 'L3'
    /** Number of delegations between the root token and this token. 0 for a root token. */
    delegation_depth: number
    /** Resources and actions of a token. Each action applies to each resource. */
    scope: StoredScope
    /** When the token expires. */
    expires_at: string
    /** Constraints of the token, without limits on arguments and without your own x_ members. */
    constraints?: Record<string, unknown>
    /** The token that it was delegated from. */
    parent_jti?: string
  }
}

/** A root token was issued. */
export interface TokenIssuedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.issued'
  /** A root token was issued. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
    assurance_level: 'L1' | 'L2' | 'L3'
    /** Number of delegations between the root token and this token. 0 for a root token. */
    delegation_depth: number
    /** Resources and actions of a token. Each action applies to each resource. */
    scope: StoredScope
    /** When the token expires. */
    expires_at: string
    /** Constraints of the token, without limits on arguments and without your own x_ members. */
    constraints?: Record<string, unknown>
  }
}

/** A token of the workflow. */
export interface TokenNode {
  /** ID of a node: the human_ref, agent_id, jti, aar_id, denial_id or approval_id. The ID of a rating is `rating:` and the aar_id. */
  id: string
  /** Kind of node. */
  type: 'token'
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Resources and actions of a token. Each action applies to each resource. */
  scope: StoredScope
  /** When the token was issued. */
  issued_at: string
  /** When the token expires. */
  expires_at: string
  /** Status of a token. Only a live token allows actions. */
  status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
  /** Constraints of the token. */
  constraints?: Record<string, unknown>
}

/** A token was renewed. */
export interface TokenRenewedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.renewed'
  /** A token was renewed. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
    assurance_level: 'L1' | 'L2' | 'L3'
    /** Number of delegations between the root token and this token. 0 for a root token. */
    delegation_depth: number
    /** Resources and actions of a token. Each action applies to each resource. */
    scope: StoredScope
    /** When the token expires. */
    expires_at: string
    /** Constraints of the token, without limits on arguments and without your own x_ members. */
    constraints?: Record<string, unknown>
    /** The token that it continues. */
    renews_jti?: string
  }
}

/** A suspended token was resumed. */
export interface TokenResumedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.resumed'
  /** A suspended token was resumed. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** Rank of the caller who resumed it. */
    resumed_by: 'agent' | 'developer' | 'person' | 'operator'
  }
}

/** A token was revoked, with every token below it. */
export interface TokenRevokedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.revoked'
  /** A token was revoked, with every token below it. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
  }
}

/** A token was suspended, with every token below it. */
export interface TokenSuspendedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'token.suspended'
  /** A token was suspended, with every token below it. */
  data: {
    /** The agent that holds the token. */
    agent_id: string
    /** The person that the agent acts for. */
    human_ref: string
    /** The token that it is about. */
    vat_jti?: string
    /** Rank of the caller who suspended it. */
    suspended_by: 'agent' | 'developer' | 'person' | 'operator'
    /** Why the service itself suspended the token. Absent when a caller did so. */
    suspend_code?: 'exceeded_authorization'
  }
}

/** A token, its status and its use so far. */
export interface TokenView {
  /** Token ID (the `jti` claim). Root tokens start with vat_root_, delegated tokens with vat_sub_. */
  jti: string
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** The root token of the workflow. */
  root_jti: string
  /** The token that this one was delegated from. */
  parent_jti?: string
  /** The token that this one renews. */
  renews_jti?: string
  /** Agent name with the agent: prefix, as the service stores it. */
  agent_id: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** Number of delegations between the root token and this token. 0 for a root token. */
  delegation_depth: number
  /** Status of a token. Only a live token allows actions. */
  status: 'live' | 'not_yet_valid' | 'expired' | 'suspended' | 'revoked'
  /** The claims of the token: exactly the JWT payload. */
  claims: Claims
  /** What the token is for. */
  purpose?: string
  /** Actions charged to this token. */
  total_actions: number
  /** allocated_usd is always spent_usd + reserved_usd + remaining_usd. */
  budget?: Budget
  /** In lists: the budget in the chain with the least left, which is what the agent can still spend. */
  tightest?: TightestBudget
  /** When the token was issued. */
  issued_at: string
  /** When the token expires. */
  expires_at: string
  /** When the token was revoked. */
  revoked_at?: string
  /** Why the token was revoked. */
  revoke_reason?: string
  /** When it was suspended. */
  suspended_at?: string
  /** Rank of the caller who suspended it. Only this rank or a higher one can resume it. */
  suspended_by?: 'agent' | 'developer' | 'person' | 'operator'
  /** Why it was suspended, in the words of the caller who did so. */
  suspend_reason?: string
  /** Why the service itself suspended the token. Absent when a caller did so. */
  suspend_code?: 'exceeded_authorization'
  /** True when personal fields are missing because the person was erased. */
  erased?: boolean
  /** Index of the log entry that issued the token. */
  log_index: number
}

/** A standing vouch between two of the nodes. */
export interface TrustEdge {
  /** Vouch ID. Starts with vch_. */
  vouch_id: string
  /** The person who vouches. */
  from: string
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  to: string
  /** How much of their word a person gives, from 0.01 to 1. Rounded to 6 decimals. */
  weight: number
  /** What a vouch is about, such as payments: 1 to 32 lower-case letters, digits, _ and -. */
  context?: string
}

/** A person or an agent. */
export interface TrustNode {
  /** A person, by `human_ref`, or an agent, by its name with the agent: prefix. */
  subject: string
  /** The own word of an anchor. Absent for people who are not anchors. */
  base?: number
  /** Steps from the subject that you asked about. */
  steps: number
}

/** A way from an anchor to the subject. */
export interface TrustPath {
  /** What this path carries. */
  flow: number
  /** From an anchor to the subject: each step leads to the person of the next one. */
  steps: TrustStep[]
}

/** One vouch on the way from an anchor to the subject. */
export interface TrustStep {
  /** The vouch. Absent if you may not see it. */
  vouch_id?: string
  /** The person who vouches. Absent if you may not see it. */
  from?: string
  /** What this vouch can carry in all paths together. */
  capacity: number
}

/** The result of a capture: hashes and results, never media. */
export interface Verification {
  /** Verification ID. Starts with vrf_. */
  verification_id: string
  /** Verification session ID. Starts with vs_. */
  session_id: string
  /** enroll: store who the person is. verify: compare with what is stored. */
  purpose: 'enroll' | 'verify'
  /** Whether the person was verified. */
  passed: boolean
  /** pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person. */
  decision: 'pass' | 'retry' | 'fail' | 'review'
  /** The result of each modality. */
  modalities: ModalityResult[]
  /** Why it did not pass, in plain words. */
  reasons: string[]
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** The level that it gives, when it passed: L3, or what the verification provider may give. */
  assurance_level?: 'L1' | 'L2' | 'L3'
  /** The trust of tokens at that level. */
  trust_score?: number
  /** Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers). */
  provider: string
  /** Version of the engine that judged, or the kind of verification provider. */
  engine_version: string
  /** SHA-256 digest of what was judged: of the canonical JSON of `session_id` and `media`, the digests of the recordings in order; at an external provider, of its decision. */
  evidence_hash: string
  /** When the verification provider withdrew its decision. The tokens that were issued on it are revoked. */
  withdrawn_at?: string
  /** When it was judged. */
  verified_at: string
  /** The overall score. For operators and auditors only. */
  score?: number
}

export interface VerificationAgeCheck {
  /** The token expires no later than this value after the biometric verification, so that the verification is never older when an action is authorized. */
  kind: 'verified_within_s'
  /** Seconds. */
  value: number
}

/** How the person was verified, at L3. */
export interface VerificationClaim {
  /** ID of the verification. Starts with vrf_. */
  id: string
  /** The modalities that passed. */
  methods: string[]
  /** When the person was verified, in seconds since 1970. */
  verified_at: number
  /** The engine that verified the person. */
  provider: string
}

/** A person finished a verification. Read its result with the API. */
export interface VerificationCompletedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'verification.completed'
  /** A person finished a verification. Read its result with the API. */
  data: {
    /** The person. */
    human_ref: string
  }
}

/** The engine that judges captures. */
export interface VerificationEngine {
  /** ready: sessions can start. absent: not fetched yet. off: switched off by DEPUTY_ENGINE. installing: being fetched. failed: see `reason`. */
  state: 'ready' | 'absent' | 'off' | 'installing' | 'failed'
  /** Version of the engine, when ready. */
  engine_version?: string
  /** Whether voices are compared, when ready. */
  voice?: boolean
  /** Bytes fetched so far, while installing. */
  done_bytes?: number
  /** Bytes to fetch, while installing. */
  total_bytes?: number
  /** What the installation does now. */
  doing?: string
  /** Why the installation failed. */
  reason?: string
}

/** Who verifies people of the tenant. */
export interface VerificationProviders {
  /** Providers that may verify people of the tenant: `builtin`, and those that the operator configured for it. */
  providers: string[]
  /** The provider of a session that names none. The first one by default. */
  default?: string
}

/** Who verifies people of the tenant. */
export interface VerificationSettings {
  /** Providers that may verify people. */
  providers: string[]
  /** The provider of a session that names none. */
  default?: string
}

/** The word of a person for a person or an agent. */
export interface Vouch {
  /** Vouch ID. Starts with vch_. */
  vouch_id: string
  /** The person who vouches. */
  from: string
  /** The person or the agent they vouch for. */
  to: string
  /** How much of their word a person gives, from 0.01 to 1. Rounded to 6 decimals. */
  weight: number
  /** What a vouch is about, such as payments: 1 to 32 lower-case letters, digits, _ and -. */
  context?: string
  /** Why, in your own words. Stored encrypted. Erased with the person who vouches, and with the person it is about. */
  note?: string
  /** True when personal fields are missing because the person was erased. */
  erased?: boolean
  /** Whether the vouch counts now: it was neither ended nor has it expired. */
  standing: boolean
  /** When the person vouched. */
  made_at: string
  /** When the vouch stops to count. Absent if it has no end. */
  expires_at?: string
  /** When it was ended: withdrawn, replaced after it expired, or because the person at one end of it was erased. */
  ended_at?: string
  /** Index of the log entry that recorded this. */
  log_index: number
}

/** The weight or the end of a vouch changed. */
export interface VouchChangedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'vouch.changed'
  /** The weight or the end of a vouch changed. */
  data: {
    /** Vouch ID. Starts with vch_. */
    vouch_id: string
    /** The person who vouches. */
    from: string
    /** Whom they vouch for. */
    to: string
    /** How much of their word the person gives, from 0.01 to 1. */
    weight: number
    /** When the vouch ends. */
    expires_at?: string
  }
}

/** A person vouched for another person or an agent. */
export interface VouchCreatedEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'vouch.created'
  /** A person vouched for another person or an agent. */
  data: {
    /** Vouch ID. Starts with vch_. */
    vouch_id: string
    /** The person who vouches. */
    from: string
    /** Whom they vouch for. */
    to: string
    /** How much of their word the person gives, from 0.01 to 1. */
    weight: number
    /** When the vouch ends. */
    expires_at?: string
    /** What a vouch is about, such as payments: 1 to 32 lower-case letters, digits, _ and -. */
    context?: string
  }
}

export interface VouchScoreCheck {
  /** The token has the constraint `min_vouch_score` with at least the value, so that every action is decided by the score that the acting agent has then. */
  kind: 'min_vouch_score'
  /** From 0.01 to 1. */
  value: number
}

/** A vouch was withdrawn. */
export interface VouchWithdrawnEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'vouch.withdrawn'
  /** A vouch was withdrawn. */
  data: {
    /** Vouch ID. Starts with vch_. */
    vouch_id: string
    /** The person who vouches. */
    from: string
    /** Whom they vouch for. */
    to: string
    /** Who ended it: `person`, `operator`, `own_agent` if the agent now acts for the person, or `same_person` if both ends turned out to be the same person. */
    by: string
  }
}

/** A webhook, without its secret. */
export interface Webhook {
  /** Webhook ID. Starts with whk_. */
  webhook_id: string
  /** Tenant of the webhook. */
  tenant_id: string
  /** Where events are sent. */
  url: string
  /** What the webhook is for. */
  description?: string
  /** The types of events that are sent. * means all. */
  events: string[]
  /** Only events of this agent. */
  agent_id?: string
  /** Only events of this workflow. */
  provenance_ref?: string
  /** How the body is written: as an event of this API, as CloudEvents 1.0 in structured mode, or as a row of OCSF. */
  format: 'deputy' | 'cloudevents' | 'ocsf'
  /** How messages are signed, by Standard Webhooks: v1 is HMAC-SHA256 with a shared secret, v1a is Ed25519, which you verify with a public key. */
  signature: 'v1' | 'v1a'
  /** For v1a: the key that verifies messages, whpk_ and base64. During a rotation, the new one. */
  public_key?: string
  /** enabled: the last attempt succeeded, or there was none. failing: attempts fail and are retried. disabled: nothing is sent until you enable it again. */
  status: 'enabled' | 'failing' | 'disabled'
  /** Since when every attempt has failed. */
  failing_since?: string
  /** When the webhook was disabled. */
  disabled_at?: string
  /** failing: no attempt succeeded for three days. gone: the receiver answered 410. key_deleted: the key that created the webhook, or set its address last, was deleted. */
  disabled_reason?: 'failing' | 'gone' | 'key_deleted'
  /** The log index up to which events were sent, or wait to be sent again. */
  next_index?: number
  /** The role that the webhook sees events with: that of the credential that created it. */
  role: string
  /** When the webhook was created. */
  created_at: string
  /** The credential that created the webhook. */
  created_by: string
  /** Index of the log entry of the last change. */
  log_index: number
}

/** The delivery of one event. Kept for 7 days. */
export interface WebhookDelivery {
  /** Event ID: evt_ and its number, which is the index of its log entry unless the service was restored from a backup. */
  event_id: string
  /** Index of the log entry that the event is. */
  log_index: number
  /** The workflow whose events are sent in order. */
  provenance_ref?: string
  /** waiting: tried again later, or waits for an older event of its workflow. delivered: the receiver answered 2xx. failed: given up after the last attempt. */
  state: 'waiting' | 'delivered' | 'failed'
  /** Attempts so far. Enabling a webhook starts the count of its waiting deliveries again. */
  attempts: number
  /** When the first attempt ended. */
  first_attempt_at?: string
  /** When the newest attempt ended. */
  last_attempt_at?: string
  /** When the next attempt is due, at the earliest. */
  next_attempt_at?: string
  /** HTTP status of the newest answer. */
  status?: number
  /** Why the newest attempt failed. */
  error?: string
  /** The first 1 KB of the newest answer. */
  answer?: string
  /** How long the newest attempt took, in milliseconds. */
  took_ms?: number
}

/** A webhook was disabled. It gets no events until someone enables it. */
export interface WebhookDisabledEvent {
  /** Event ID: evt_ and the number of the event, which is the log index unless the service was restored from a backup. The same each time the event is sent. */
  id: string
  /** Index of the log entry that the event reports. Events come in this order. */
  log_index: number
  /** When it happened. */
  occurred_at: string
  /** The tenant that it belongs to. */
  tenant_id: string
  /** The workflow that it belongs to, if any. */
  provenance_ref?: string
  /** Type of the event. */
  type: 'webhook.disabled'
  /** A webhook was disabled. It gets no events until someone enables it. */
  data: {
    /** The webhook, or another endpoint that events are sent to. */
    webhook_id: string
    /** What it is: webhook and others. */
    kind: string
    /** failing: no attempt succeeded for three days. gone: the receiver answered 410. key_deleted: the key that created the webhook, or set its address last, was deleted. */
    reason: 'failing' | 'gone' | 'key_deleted'
  }
}

/** A witness of the log and how it is doing. */
export interface WitnessStatus {
  /** Name of the witness. */
  name: string
  /** Verifier key of the witness. */
  vkey: string
  /** Where the service asks it. */
  url: string
  /** ok: it cosigned the newest checkpoint. behind: it cosigned an older one. failing: its last attempt failed. pending: it has not been asked yet. */
  state: 'ok' | 'behind' | 'failing' | 'pending'
  /** The state in words. */
  explanation: string
  /** Size of the log that it last cosigned. */
  cosigned_size?: number
  /** When it last cosigned, by its own clock. */
  cosigned_at?: string
  /** When the first of its failures in a row was. */
  failing_since?: string
  /** Why it last did not cosign. forgot, ahead and contradicted mean that it remembers another log than this one. */
  failure?: 'unreachable' | 'refused' | 'bad_answer' | 'bad_cosignature' | 'forgot' | 'ahead' | 'contradicted'
}

/** Counts of a workflow. */
export interface WorkflowSummary {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Action records of the workflow. */
  total_records: number
  /** Agents that acted. */
  unique_agents: number
  /** Number of records by action. */
  actions_by_type: Record<string, number>
  /** Number of records by outcome. */
  results_by_type: Record<string, number>
}

/** A workflow: a root token and everything below it. */
export interface WorkflowView {
  /** Workflow ID, shared by a root token and every token below it. Starts with prov_. */
  provenance_ref: string
  /** Keyed hash that identifies the person behind the token. */
  human_ref: string
  /** Agent of the root token, with the agent: prefix. */
  agent_id: string
  /** How the person was verified: L1 by email, L2 by sign-in with a provider, L3 by biometrics. */
  assurance_level: 'L1' | 'L2' | 'L3'
  /** When the root token was issued. */
  created_at: string
  /** Action records of the workflow. */
  total_records: number
  /** Agents that acted. */
  unique_agents: number
  /** When an agent last acted in the workflow. */
  last_action_at?: string
  /** closed: the root token was revoked or has expired, so that no token of the workflow works. */
  state: 'open' | 'closed'
  /** US dollars spent in the workflow. */
  spent_usd: number
  /** US dollars reserved by pending records. */
  reserved_usd: number
  /** What the root token is for. With `expand=token`. */
  purpose?: string
  /** Denials in the workflow, at most 10,000. With `expand=denials`. */
  denials?: number
  /** Tokens of the workflow that are neither expired nor revoked themselves, among its newest 200. 0 if the workflow is closed. With `expand=live_tokens`. */
  live_tokens?: number
}
