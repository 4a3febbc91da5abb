/**
 * Verification sessions that are prepared before a device opens them. The caller who prepares one holds its client
 * token, a secret: it opens the session on one device or moves it to a phone, watches it, and collects the requested
 * token. The secret in the session's link does the same, except that it collects nothing.
 */

import { PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, Count, described, Flag, HumanRef, Instant, OneOf, Text } from '../shapes.ts'
import { ProviderText } from '../tokens/constraints.ts'
import { IssuedToken, IssueL1Request } from '../tokens/tokens.ts'
import {
  Accommodations,
  AttemptsLeft,
  CaptureProgressMembers,
  CaptureSettings,
  CaptureStep,
  ClientToken,
  FaceApprovalRequest,
  L3_TOKEN_ERRORS,
  L3TokenRequest,
  PersonsChoice,
  PurposeWord,
  SessionNonce,
  SessionPath,
  SessionStateWord,
  VerificationDecision,
  VerificationId,
  VerificationProvider,
  VerificationSessionId,
  VerificationView,
  VerifiedPersonFields,
} from './biometric-sessions.ts'

/** How long a session waits for a device, in seconds. */
const LEAST_WAIT_S = 60
const MOST_WAIT_S = 3600

const TransferCode = Text(
  'The code that moves the session to another device. It works once, for two minutes.',
  { minLength: 1, maxLength: 128 },
)
const DeviceKey = Text(
  'A random secret that the device generates and keeps. If the response is lost, the same call with the same key starts the capture again. From then on, the key also replaces the nonce in preview, open and watch.',
  { minLength: 32, maxLength: 128 },
)
const HostedUrl = Text(
  'The page that leads the person through the verification. The part after # is a secret that replaces the client token in every call but collect; browsers do not send it to a server.',
  { examples: ['https://deputy.example.com/verify-me/vs_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r#…'] },
)
const SessionEnd = described(Instant, 'When the session stops waiting for a device.')

const { agent_id, resources, actions } = IssueL1Request.properties
const HostedTokenRequest = Closed(
  {
    ...L3TokenRequest,
    agent_id: described(agent_id, 'The agent that gets a token.'),
    resources,
    actions,
  },
  {
    title: 'HostedTokenRequest',
    description: 'The token that the person is asked to confirm. Its members are those of capture.',
  },
)

const AskedToken = Closed(
  {
    agent_id: described(agent_id, 'The agent that gets the token.'),
    resources,
    actions,
    constraints: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'The limits of the token.' }),
    ),
    purpose: L3TokenRequest.purpose,
    expires_in: L3TokenRequest.expires_in,
  },
  {
    title: 'AskedToken',
    description: 'The token that the person is asked to confirm. `sentences` state all of it.',
  },
)

export const createHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/hosted',
  tag: 'Biometrics',
  summary: 'Create a hosted verification session',
  description:
    'Send the person to `url`, or pass `session_id` and `client_token` to the widget. The session waits fifteen minutes; the capture itself has three minutes from when a device opens it. A capture that does not pass can be tried again while the session waits. With `request`, the holder of the client token collects the token (POST /v1/vat/auth/sessions/{id}/collect). A token that could not be issued is refused here and when a device opens the session, so that nobody is verified in vain. The device never gets the token, and the person reads what they confirm before the camera starts.',
  body: Closed({
    purpose: PurposeWord,
    ...VerifiedPersonFields,
    request: Type.Optional(HostedTokenRequest),
    ...FaceApprovalRequest,
    accommodations: PersonsChoice.accommodations,
    locale: PersonsChoice.locale,
    provider: Type.Optional(
      described(
        ProviderText,
        'Who verifies the person: `builtin`, or a verification provider of the tenant. By default, the one that the tenant has set.',
      ),
    ),
    return_url: Type.Optional(
      Text(
        'Where the page sends the person afterwards, with `session_id` added to the query and nothing else. An https address, or one on this machine in open mode.',
        { minLength: 1, maxLength: 2048, examples: ['https://app.example.com/verified'] },
      ),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: LEAST_WAIT_S,
        maximum: MOST_WAIT_S,
        description: 'How long the session waits for a device, in seconds. 900 by default.',
      }),
    ),
  }),
  body_rules: { not: { required: ['human_ref', 'developer_email'] } },
  status: 201,
  cache_control: 'no-store',
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    client_token: ClientToken,
    url: HostedUrl,
    expires_at: SessionEnd,
    human_ref: HumanRef,
    provider: VerificationProvider,
  }),
  access: { operator: 'tenant', developer: 'tenant', human: 'own' },
  errors: [
    'human_unknown',
    'approval_unknown',
    'not_enrolled',
    'verification_locked',
    'sign_on_too_old',
    'not_yours',
    'engine_unavailable',
    ...L3_TOKEN_ERRORS,
  ],
})

/** Errors of every call with the client token or a code. A wrong secret gets the same answer as an unknown session. */
const HOSTED_ERRORS = ['session_unknown', 'session_closed', 'not_yours'] as const

export const previewHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/preview',
  tag: 'Biometrics',
  summary: 'Show what a person is about to confirm',
  description:
    'Who asks, for which agent, and what it may do: show it before you open the session. A transfer code stays valid. A device that opened the session and lost its page calls with its nonce.',
  params: SessionPath,
  body: Closed({
    client_token: Type.Optional(ClientToken),
    transfer_code: Type.Optional(TransferCode),
    nonce: Type.Optional(SessionNonce),
  }),
  body_rules: {
    oneOf: [{ required: ['client_token'] }, { required: ['transfer_code'] }, { required: ['nonce'] }],
  },
  cache_control: 'no-store',
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    expires_at: SessionEnd,
    locale: PersonsChoice.locale,
    accommodations: described(Accommodations, 'Steps that are left out, whatever the person chooses.'),
    provider: VerificationProvider,
    asked_by: Closed(
      {
        tenant_name: Text('Name of the tenant.'),
        name: Type.Optional(Text('Name of the API key that prepared the session.')),
        is_person: Flag('Whether the person prepared the session themselves.'),
      },
      { title: 'SessionAsker', description: 'Who asks. The service knows it from the credential.' },
    ),
    request: Type.Optional(AskedToken),
    sentences: Type.Array(Type.String(), {
      description:
        'What the person confirms, in plain English: the token, the approval or both. Empty when neither is asked for.',
    }),
    consent: Closed(
      {
        version: Text('Version of the current consent text (GET /v1/vat/auth/consent).'),
        is_required: Flag('Whether opening needs `consent`.'),
      },
      { title: 'SessionConsent', description: 'The consent that opening needs.' },
    ),
    return_url: Type.Optional(Text('Where the person returns to.')),
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: [...HOSTED_ERRORS, 'session_taken', 'nonce_mismatch'],
})

export const openHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/open',
  tag: 'Biometrics',
  summary: 'Open a hosted session on this device',
  description:
    'The session belongs to the first device that opens it; others get `session_taken`. After a capture that did not pass or was interrupted, that device starts again with its `nonce`. Send a `device_key`, so that a device that misses the response can open the session again. Repeated while the first call is still under way, the call gets the same response. A session can be opened five times. The response is the same as for POST /v1/vat/auth/sessions, and so are the calls after it; send no token request with them.',
  params: SessionPath,
  body: Closed({
    client_token: Type.Optional(ClientToken),
    transfer_code: Type.Optional(TransferCode),
    nonce: Type.Optional(described(SessionNonce, 'The nonce of the capture that this device starts again.')),
    device_key: Type.Optional(DeviceKey),
    ...PersonsChoice,
  }),
  body_rules: {
    oneOf: [{ required: ['client_token'] }, { required: ['transfer_code'] }, { required: ['nonce'] }],
  },
  cache_control: 'no-store',
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    nonce: SessionNonce,
    expires_at: described(Instant, 'When the capture expires.'),
    human_ref: HumanRef,
    provider: VerificationProvider,
    capture: Type.Optional(CaptureSettings),
    steps_total: CaptureProgressMembers.steps_total,
    step: Type.Optional(described(CaptureStep, 'The first step. Absent when another provider captures.')),
    redirect_url: Type.Optional(
      Text('The page of the verification provider where the person continues. Absent for `builtin`.'),
    ),
    provider_client_token: Type.Optional(
      Text('For the browser SDK of the verification provider, where it has one.'),
    ),
    passkey_required: Flag('Whether finishing needs a passkey.'),
    attempts_left: AttemptsLeft,
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: [
    ...HOSTED_ERRORS,
    'session_taken',
    'nonce_mismatch',
    'consent_required',
    'verification_locked',
    'engine_unavailable',
    'provider_unavailable',
    ...L3_TOKEN_ERRORS,
  ],
})

export const transferHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/transfer',
  tag: 'Biometrics',
  summary: 'Move a hosted session to a phone',
  description:
    'Show `url` as a QR code. The code works once and for two minutes; a new one replaces it. Once the phone has opened the session, this device only watches.',
  params: SessionPath,
  body: Closed({ client_token: ClientToken }),
  status: 201,
  cache_control: 'no-store',
  response: Closed({
    transfer_code: TransferCode,
    url: HostedUrl,
    expires_at: described(Instant, 'When the code expires.'),
    expires_in: Count('Seconds until it expires, for a device whose clock is wrong.'),
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: [...HOSTED_ERRORS, 'session_taken'],
})

export const watchHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/watch',
  tag: 'Biometrics',
  summary: 'Watch a hosted session',
  description:
    'Without `after`, the call returns immediately. With it, the call waits up to 25 seconds for a change, or returns immediately if too many calls are waiting. The device that has opened the session watches with its nonce.',
  params: SessionPath,
  body: Closed({
    client_token: Type.Optional(ClientToken),
    nonce: Type.Optional(SessionNonce),
    after: Type.Optional(Text('The `version` that you have seen.', { minLength: 1, maxLength: 64 })),
  }),
  body_rules: { oneOf: [{ required: ['client_token'] }, { required: ['nonce'] }] },
  cache_control: 'no-store',
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    version: Text('Changes whenever anything else here changes.'),
    human_ref: HumanRef,
    provider: VerificationProvider,
    ...CaptureProgressMembers,
    is_moved: Flag('Whether another device has opened it with a code.'),
    can_open: Flag('Whether it can be opened now, for the first time or again.'),
    openings_left: Count('How often it can still be opened.'),
    verification_id: Type.Optional(described(VerificationId, 'The result, once a capture is judged.')),
    provider_status: Type.Optional(
      OneOf(['pending', 'pass', 'fail', 'review', 'retry', 'expired', 'withdrawn'], {
        title: 'ProviderStatus',
        description:
          'What the verification provider says, while the session is open. Unless it is pending or review, finish the session (POST /v1/vat/auth/capture).',
      }),
    ),
    decision: Type.Optional(VerificationDecision),
    reasons: Type.Array(Type.String(), { description: 'Why it did not pass, in plain words.' }),
    expires_at: SessionEnd,
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: ['session_unknown', 'not_yours', 'nonce_mismatch'],
})

export const collectHostedSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/collect',
  tag: 'Biometrics',
  summary: 'Collect the result of a hosted session',
  description:
    'Returns the result, and the token if one was requested and the person was verified. Collect within ten minutes of the verification. The token can be collected once: repeating the call returns the same token for a minute, then `session_closed`.',
  params: SessionPath,
  body: Closed({ client_token: ClientToken }),
  cache_control: 'no-store',
  response: Closed(
    {
      ...VerificationView.properties,
      token: Type.Optional(
        described(IssuedToken, 'The token, if one was requested and the person was verified.'),
      ),
    },
    { title: 'CollectedSession' },
  ),
  cross_origin: true,
  access: PUBLIC,
  errors: [...HOSTED_ERRORS, 'session_not_judged', 'verification_withdrawn', ...L3_TOKEN_ERRORS],
})
