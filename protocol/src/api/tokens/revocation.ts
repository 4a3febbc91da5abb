import { Type } from 'typebox'
import { operation } from '../operation.ts'
import {
  AgentId,
  Closed,
  EXAMPLE_JTI,
  Instant,
  Jti,
  ProvenanceRef,
  Sha256Digest,
  SignedUsd,
  StoredAgentId,
} from '../shapes.ts'

const Why = Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Why, in words.' }))
const RevokedCount = Type.Integer({ description: 'Tokens in force that this call silenced.' })

export const revokeToken = operation({
  method: 'POST',
  path: '/v1/vat/revoke',
  tag: 'Revocation',
  summary: 'Revoke a token',
  description:
    'Silences the token and everything below it, before the answer leaves. Revoking again is no error and changes nothing. Pending records may still be completed, so that no evidence is lost.',
  body: Closed({ vat_jti: Jti, reason: Why }),
  example: { vat_jti: EXAMPLE_JTI, reason: 'Task is done' },
  response: Closed({
    revoked: Type.Boolean(),
    already_revoked: Type.Boolean(),
    jti: Jti,
    revoked_at: Instant,
    revoked_count: RevokedCount,
    provenance_ref: ProvenanceRef,
  }),
  errors: ['token_unknown'],
})

export const previewRevocation = operation({
  method: 'POST',
  path: '/v1/vat/revoke/preview',
  tag: 'Revocation',
  summary: 'Preview a revocation',
  description: 'What one revoke would silence. Nothing changes.',
  body: Closed({ vat_jti: Jti }),
  example: { vat_jti: EXAMPLE_JTI },
  response: Closed({
    jti: Jti,
    already_revoked: Type.Boolean(),
    live_tokens: Type.Integer({ description: 'The token and its descendants that are in force.' }),
    agents: Type.Array(StoredAgentId, { description: 'Agents that hold them, at most 1,000.' }),
    pending_records: Type.Integer(),
    reserved_usd: SignedUsd,
  }),
  errors: ['token_unknown'],
})

const RevokedAll = { revoked: Type.Boolean(), revoked_at: Instant, revoked_count: RevokedCount }

export const revokeAgent = operation({
  method: 'POST',
  path: '/v1/vat/revoke/agent',
  tag: 'Revocation',
  summary: 'Revoke every token of an agent',
  description:
    'Silences what it holds and everything below that; revoked_count counts what it holds. Tokens issued later are not touched: suspend the agent to stop those too.',
  body: Closed({ agent_id: AgentId, reason: Why }),
  example: { agent_id: 'calendar-bot' },
  response: Closed({ ...RevokedAll, agent_id: StoredAgentId }),
  errors: ['agent_unknown'],
})

export const revokeHuman = operation({
  method: 'POST',
  path: '/v1/vat/revoke/human',
  tag: 'Revocation',
  summary: 'Revoke everything that acts for a human',
  body: Closed({ human_ref: Sha256Digest, reason: Why }),
  example: { human_ref: 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
  response: Closed({ ...RevokedAll, human_ref: Type.String() }),
  errors: ['human_unknown'],
})

const Frozen = Closed({ jti: Jti, suspended: Type.Boolean(), changed: Type.Boolean(), at: Instant })

export const suspendToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/suspend',
  tag: 'Revocation',
  summary: 'Suspend a token',
  description:
    'A freeze of the token and everything below it that can be lifted. Suspending again changes nothing.',
  params: Closed({ jti: Jti }),
  response: Frozen,
  errors: ['token_unknown'],
})

export const resumeToken = operation({
  method: 'POST',
  path: '/v1/vat/tokens/{jti}/resume',
  tag: 'Revocation',
  summary: 'Resume a suspended token',
  params: Closed({ jti: Jti }),
  response: Frozen,
  errors: ['token_unknown'],
})
