import { about } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AgentRef,
  Closed,
  Count,
  described,
  Flag,
  Instant,
  ProvenanceRef,
  Text,
  TimeRangeQuery,
} from '../shapes.ts'

const AUDITORS = { ...about('workflow', '/query/workflow/*'), operator: 'tenant', auditor: 'tenant' } as const

/** What a pack covers: either certain workflows, or a time range and agents. */
const AuditChoice = Closed({
  workflow: Type.Optional(
    Type.Array(ProvenanceRef, {
      minItems: 1,
      maxItems: 100,
      foldsRepeats: true,
      description: 'Exactly these workflows. Leave out everything else.',
    }),
  ),
  agent_id: Type.Optional(
    Type.Array(AgentRef, {
      minItems: 1,
      maxItems: 20,
      foldsRepeats: true,
      description:
        'Only workflows in which one of these agents holds a token. A workflow that began before `from` needs an action, a denial or a request for approval by one of them in the time range.',
    }),
  ),
  ...TimeRangeQuery,
})

export const previewAuditPack = operation({
  method: 'GET',
  path: '/v1/vat/audit/preview',
  tag: 'Provenance',
  summary: 'Count what an audit pack would contain',
  description:
    'Takes the same parameters as the pack and creates nothing. A workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval in it.',
  query: AuditChoice,
  response: Closed({
    workflows: Count('Workflows that fit.'),
    records: Count('Action records in them.'),
    denials: Count('Denials in them.'),
    approvals: Count('Requests for approval in them.'),
    tokens: Count('Tokens in them.'),
    is_at_least: Flag('Whether counting stopped early, so that there are at least this many.'),
    fits: Flag('Whether a pack can be made: it is neither empty nor too large.'),
    max_workflows: Count('Most workflows of a pack.'),
    max_entries: Count('Most tokens, records, denials and approvals of a pack, together.'),
    first_at: Type.Optional(described(Instant, 'When the oldest of the workflows began.')),
    last_at: Type.Optional(described(Instant, 'When an agent last acted in one of them.')),
  }),
  access: AUDITORS,
  errors: ['workflow_unknown'],
})

export const exportAuditPack = operation({
  method: 'GET',
  path: '/v1/vat/audit/pack',
  tag: 'Provenance',
  summary: 'Download an audit pack',
  description:
    'One ZIP archive for an auditor: the proof pack of every chosen workflow, the signed checkpoint with its cosignatures, a table of all decisions (allowed, denied, and approved by whom), the policies with what was found for each token, a manifest with the hash of each file, the verdict of the verifier, and a README that says how to check all of it without this service. `deputy verify` and the page /verify compute the verdict again. A workflow fits a time range if it began in it, or if it has an action, a denial or a request for approval in it; it is always in the pack as a whole, up to the checkpoint. Without parameters, the pack is about every workflow. A pack never contains a token ID, nor text that was erased.',
  query: AuditChoice,
  streams: ['application/zip'],
  response: Text('The archive. If the connection is cut, it is incomplete.', { format: 'binary' }),
  access: AUDITORS,
  errors: [
    'workflow_unknown',
    'audit_pack_empty',
    'audit_pack_too_large',
    'audit_pack_busy',
    'checkpoint_pending',
  ],
})
