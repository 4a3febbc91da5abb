import type { Static } from 'typebox'
import { about, PUBLIC } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  ApprovalId,
  AssuranceLevel,
  Closed,
  Count,
  described,
  Flag,
  HumanRef,
  Instant,
  Lifetime,
  OneOf,
  PageOf,
  PageQuery,
  PersonRef,
  Score,
  Text,
  TrustScore,
} from '../shapes.ts'
import { IssuedToken, IssueL1Request, NEW_TOKEN_ERRORS } from '../tokens/tokens.ts'
import { AssertionResponse, Challenge, RegistrationResponse } from './passkeys.ts'

/**
 * The largest body of a call with media: the six megabytes that the engine accepts for a step, in base64, plus the
 * rest.
 */
export const MAX_MEDIA_BODY_BYTES = 9 * 1024 * 1024
/** Maximum number of frames in one step. */
const MAX_STEP_FRAMES = 80

export const VERIFICATION_PURPOSES = ['enroll', 'verify'] as const
export type VerificationPurpose = (typeof VERIFICATION_PURPOSES)[number]

export const VERIFICATION_STATES = ['waiting', 'open', 'judged', 'cancelled', 'expired'] as const
export type VerificationState = (typeof VERIFICATION_STATES)[number]

export const VERIFICATION_DECISIONS = ['pass', 'retry', 'fail', 'review'] as const

export const VERIFICATION_MODALITIES = [
  'face_liveness',
  'deepfake_detection',
  'speech_match',
  'lip_sync',
  'challenge_response',
  'finger_gesture',
  'duress_detection',
] as const

/** What a verification provider may have checked. */
export const EXTERNAL_MODALITIES = ['document', 'liveness', 'face_match', 'database'] as const

const STEP_KINDS = ['neutral', 'move', 'flash', 'speak', 'gesture'] as const
const MOVEMENT_WORDS = [
  'turn_left',
  'turn_right',
  'look_up',
  'look_down',
  'open_mouth',
  'blink',
  'move_closer',
] as const
const GESTURE_WORDS = ['thumbs_up', 'victory', 'open_palm', 'point_up'] as const
const FLASH_WORDS = ['red', 'green', 'blue', 'black'] as const
const ACCOMMODATION_WORDS = ['no_voice', 'no_hand', 'no_flash'] as const
const LOCALES = ['en', 'de'] as const
const ENGINE_STATES = ['ready', 'absent', 'off', 'installing', 'failed'] as const

export const VerificationSessionId = Type.String({
  minLength: 1,
  maxLength: 128,
  title: 'VerificationSessionId',
  description: 'Verification session ID. Starts with vs_.',
  examples: ['vs_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const VerificationId = Type.String({
  minLength: 1,
  maxLength: 128,
  title: 'VerificationId',
  description: 'Verification ID. Starts with vrf_.',
  examples: ['vrf_0d7ahg1c0q5n2f8m3s9k4t6v1b8e2j5l7p0r'],
})
export const SessionNonce = Text(
  'The nonce of the session. It is all a device needs to answer the session, so give it only to the device that captures.',
  { minLength: 1, maxLength: 128 },
)
export const ClientToken = Text(
  'The secret of the backend that created a hosted session. It opens the session on one device, watches it and collects the token.',
  { minLength: 1, maxLength: 128 },
)
export const SessionPath = Closed({ id: VerificationSessionId })
export const PurposeWord = OneOf(VERIFICATION_PURPOSES, {
  title: 'VerificationPurpose',
  description: 'enroll: store who the person is. verify: compare with what is stored.',
})
export const SessionStateWord = OneOf(VERIFICATION_STATES, {
  title: 'VerificationState',
  description:
    'State of the session. waiting: no device has opened it yet, or the device lost it. Only an open session takes answers.',
})
export const VerificationProvider = Text(
  'Who verifies the person: `builtin`, or the name of a verification provider (GET /v1/vat/auth/providers).',
  { examples: ['builtin'] },
)
const StepId = Text('ID of the step.', { minLength: 1, maxLength: 128, examples: ['st_1'] })

export const CaptureStep = Closed(
  {
    step_id: StepId,
    index: Count('Position of the step, from 0.'),
    kind: OneOf(STEP_KINDS, { description: 'What the step asks for.' }),
    prompt: Text('The instruction for the person, in the language of the session.'),
    duration_ms: Count('How long to record, in milliseconds.'),
    answer_by: described(Instant, 'When the answer must arrive.'),
    movement: Type.Optional(OneOf(MOVEMENT_WORDS, { description: 'The movement, for `move`.' })),
    colors: Type.Optional(
      Type.Array(OneOf(FLASH_WORDS, { title: 'FlashColor', description: 'A color of the screen.' }), {
        description: 'Colors to fill the screen with, in order, for `flash`.',
      }),
    ),
    slot_ms: Type.Optional(Count('How long each color is shown, in milliseconds.')),
    digits: Type.Optional(Text('The digits to say, for `speak`.')),
    gesture: Type.Optional(OneOf(GESTURE_WORDS, { description: 'The hand sign, for `gesture`.' })),
  },
  {
    title: 'CaptureStep',
    description: 'One task of a capture. It is revealed when the one before is answered.',
  },
)
export type CaptureStep = Static<typeof CaptureStep>

export const CaptureProgressMembers = {
  steps_done: Count('Steps that have been answered.'),
  steps_total: Count('Steps of the session.'),
}
export const AttemptsLeft = Count('Failed attempts that remain before verification is locked for a while.')

export const CaptureSettings = Closed(
  {
    width: Count('Width of a frame in pixels.'),
    height: Count('Height of a frame in pixels.'),
    fps: Count('Frames per second.'),
    jpeg_quality: Type.Number({ description: 'JPEG quality, 0 to 1.' }),
    sample_rate: Count('Samples of sound per second, mono.'),
    lead_ms: Count(
      'How long to wait after a step arrives before showing it. Times in a recording count from then.',
    ),
    max_frames: Count('Maximum number of frames in one step.'),
    max_bytes: Count('Maximum size of the body of one call.'),
  },
  { title: 'CaptureSettings', description: 'How the device should record.' },
)

/** Base64 text. Its length is limited by the body, because counting the characters of megabytes is slow. */
function Base64Text(description: string) {
  return Type.Unsafe<string>({ type: 'string', contentEncoding: 'base64', description })
}

const CapturedFrame = Closed(
  {
    t_ms: Type.Number({
      minimum: 0,
      maximum: 60_000,
      description: 'Milliseconds from showing the step to taking the frame.',
    }),
    jpeg: Base64Text('The frame as JPEG in base64.'),
  },
  { title: 'CapturedFrame', description: 'One picture of a step.' },
)
const CapturedSound = Closed(
  {
    t0_ms: Type.Number({
      minimum: 0,
      maximum: 60_000,
      description: 'Milliseconds from showing the step to the first sample.',
    }),
    pcm16: Base64Text('Mono samples of 16 bits, little-endian, 16,000 per second, in base64.'),
  },
  { title: 'CapturedSound', description: 'The sound of a step.' },
)
const CaptureDevice = Closed(
  { video_label: Type.Optional(Text('Name of the camera, as the browser reports it.', { maxLength: 256 })) },
  { title: 'CaptureDevice', description: 'What the device says about its camera. A hint only.' },
)
const Frames = Type.Array(CapturedFrame, {
  minItems: 1,
  maxItems: MAX_STEP_FRAMES,
  description: 'The frames, in the order in which they were taken.',
})

/** Who is verified. */
export const VerifiedPersonFields = {
  human_ref: Type.Optional(
    described(
      PersonRef,
      'The person, by any `human_ref` of theirs in your tenant. Required to verify, unless `developer_email` is sent.',
    ),
  ),
  developer_email: Type.Optional(
    Text('Email address of the person, as for an L1 token. Not together with `human_ref`.', {
      format: 'email',
      examples: ['dev@example.com'],
    }),
  ),
}

export const Accommodations = Type.Array(
  OneOf(ACCOMMODATION_WORDS, {
    title: 'Accommodation',
    description: 'A step that the person cannot do.',
  }),
  {
    maxItems: 3,
    foldsRepeats: true,
    description: 'Steps that the person cannot do. A passkey takes their place.',
  },
)

/** What the person says before a capture starts. */
export const PersonsChoice = {
  accommodations: Type.Optional(Accommodations),
  locale: Type.Optional(OneOf(LOCALES, { description: 'Language of the prompts. English by default.' })),
  consent: Type.Optional(
    Closed(
      {
        version: Text('Version of the consent text that the person accepted.', {
          minLength: 1,
          maxLength: 64,
          examples: ['1'],
        }),
      },
      {
        description:
          'What the person accepted (GET /v1/vat/auth/consent). Required to enroll, and to verify a person who accepted another text.',
      },
    ),
  ),
}

export const createVerificationSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions',
  tag: 'Biometrics',
  summary: 'Start a biometric verification',
  description:
    'Opens a session of three minutes that works once. Show `step` to the person, record, and send the recording to POST /v1/vat/auth/sessions/{id}/steps; the response reveals the next step. Then finish with POST /v1/vat/auth/capture or POST /v1/vat/auth/enroll. In this session only, the nonce replaces your credential, so a device without a credential can answer. The first session starts to download the engine; until it is ready, the call returns `engine_unavailable`.',
  body: Closed({
    purpose: PurposeWord,
    ...VerifiedPersonFields,
    ...PersonsChoice,
  }),
  body_rules: { not: { required: ['human_ref', 'developer_email'] } },
  status: 201,
  cache_control: 'no-store',
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    nonce: SessionNonce,
    expires_at: described(Instant, 'When the session expires.'),
    human_ref: Type.Optional(HumanRef),
    provider: VerificationProvider,
    capture: CaptureSettings,
    steps_total: CaptureProgressMembers.steps_total,
    step: CaptureStep,
    passkey_required: Flag('Whether finishing needs a passkey.'),
    attempts_left: AttemptsLeft,
  }),
  access: { operator: 'tenant', developer: 'tenant', human: 'own' },
  errors: [
    'provider_not_allowed',
    'consent_required',
    'human_unknown',
    'not_enrolled',
    'verification_locked',
    'sign_on_too_old',
    'not_yours',
    'engine_unavailable',
  ],
})

const SESSION_ERRORS = ['session_unknown', 'session_closed', 'nonce_mismatch'] as const
const ANSWER_ERRORS = [
  ...SESSION_ERRORS,
  'step_mismatch',
  'answer_early',
  'answer_late',
  'media_invalid',
  'engine_unavailable',
  'engine_busy',
] as const

const RetryReason = Closed(
  { code: Text('Name of the reason.'), detail: Text('What to do, in plain words.') },
  { title: 'StepReason', description: 'Why a step must be repeated.' },
)

export const answerStep = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/steps',
  tag: 'Biometrics',
  summary: 'Answer a step',
  description:
    'Send the recording of the step that was revealed last. If the recording is not good enough, the step is asked again with another task, at most twice. Sending the same recording again returns the same response. The media is judged immediately and not stored.',
  params: SessionPath,
  body: Closed({
    nonce: SessionNonce,
    step_id: StepId,
    frames: Frames,
    audio: Type.Optional(CapturedSound),
    device: Type.Optional(CaptureDevice),
  }),
  max_body_bytes: MAX_MEDIA_BODY_BYTES,
  cache_control: 'no-store',
  response: Closed({
    accepted: Flag('Whether the recording is good enough to be judged.'),
    reasons: Type.Array(RetryReason, { description: 'Why it is not. Empty when accepted.' }),
    step: Type.Optional(
      described(CaptureStep, 'The next step, or the same kind again. Absent after the last.'),
    ),
    ...CaptureProgressMembers,
    media_digest: Text('SHA-256 digest of the recording, in hex. A passkey signs it.'),
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: ANSWER_ERRORS,
})

const { developer_email: _, expires_in: __, ...rootFields } = IssueL1Request.properties

/** Why the token of a verification is refused, before the person is verified or afterwards. */
export const L3_TOKEN_ERRORS = [
  ...NEW_TOKEN_ERRORS,
  'policy_unmet',
  'scope_widening',
  'human_refuses',
  'token_not_live',
] as const

/** The token that a capture requests. The passkey signs all of it. */
export const L3TokenRequest = {
  agent_id: Type.Optional(described(rootFields.agent_id, 'The agent that gets a token.')),
  resources: Type.Optional(rootFields.resources),
  actions: Type.Optional(rootFields.actions),
  constraints: rootFields.constraints,
  expires_in: Type.Optional(
    Lifetime(
      'Lifetime in seconds. One hour by default, at most eight hours. An L3 token ends at most eight hours after the verification, and at most as long after it as its policies allow, even if that is sooner.',
      8 * 3600,
    ),
  ),
  audience: rootFields.audience,
  agent_jwk: rootFields.agent_jwk,
  policy_assertions: rootFields.policy_assertions,
  purpose: rootFields.purpose,
}

export const FaceApprovalRequest = {
  approval_id: Type.Optional(
    described(
      ApprovalId,
      'The approval that this verification is for, where the tenant requires a face verification. It counts for no other approval.',
    ),
  ),
}

export const beginSessionPasskey = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/passkey',
  tag: 'Biometrics',
  summary: 'Get a passkey challenge for a session',
  description:
    'Call this after the last step. The challenge is the SHA-256 digest of `bound_text`: the canonical JSON of the session ID, the nonce, the digest of every recording and the digest of the token request. So the passkey confirms this capture and this token. Send the token request that you will send to capture. For an enrollment of a person without a passkey the options create one.',
  params: SessionPath,
  body: Closed({ nonce: SessionNonce, ...L3TokenRequest, ...FaceApprovalRequest }),
  cache_control: 'no-store',
  response: Closed({
    ceremony: OneOf(['create', 'get'], {
      description:
        'create: pass the options to navigator.credentials.create(). get: to navigator.credentials.get().',
    }),
    options: Challenge.options,
    bound_text: Text('The text whose digest is the challenge.'),
    expires_at: Challenge.expires_at,
  }),
  cross_origin: true,
  access: PUBLIC,
  errors: [...SESSION_ERRORS, 'passkey_refused'],
})

export const getVerificationSession = operation({
  method: 'GET',
  path: '/v1/vat/auth/sessions/{id}',
  tag: 'Biometrics',
  summary: 'Get a verification session',
  description:
    'Returns its state, never its steps or its nonce. A session is deleted some minutes after it ends.',
  params: SessionPath,
  response: Closed({
    session_id: VerificationSessionId,
    purpose: PurposeWord,
    state: SessionStateWord,
    human_ref: Type.Optional(HumanRef),
    provider: VerificationProvider,
    ...CaptureProgressMembers,
    verification_id: Type.Optional(described(VerificationId, 'The result, once the session is judged.')),
    expires_at: described(Instant, 'When the session expires.'),
  }),
  access: { operator: 'tenant', developer: 'tenant', auditor: 'tenant', human: 'own' },
  errors: ['session_unknown'],
})

export const cancelVerificationSession = operation({
  method: 'POST',
  path: '/v1/vat/auth/sessions/{id}/cancel',
  tag: 'Biometrics',
  summary: 'Cancel a verification session',
  description:
    'The session accepts no more answers. Cancelling again changes nothing. A judged session stays judged. To cancel a hosted session, send its client token.',
  params: SessionPath,
  body: Closed({
    nonce: Type.Optional(SessionNonce),
    client_token: Type.Optional(ClientToken),
  }),
  body_rules: { oneOf: [{ required: ['nonce'] }, { required: ['client_token'] }] },
  response: Closed({ session_id: VerificationSessionId, state: SessionStateWord }),
  lane: 'stop',
  cross_origin: true,
  access: PUBLIC,
  errors: SESSION_ERRORS,
})

const ModalityView = Closed(
  {
    name: OneOf([...VERIFICATION_MODALITIES, ...EXTERNAL_MODALITIES], {
      description: 'What was judged, by the built-in engine or by a verification provider.',
    }),
    passed: Flag('Whether it passed.'),
    method: Text('How it was judged, such as parallax or passkey.'),
    reasons: Type.Array(Type.String(), { description: 'Why it failed, in plain words.' }),
    score: Type.Optional(described(Score, 'Score, 0 to 1. For operators and auditors only.')),
    measures: Type.Optional(
      Type.Record(Type.String(), Type.Number(), {
        description: 'Measured values. For operators and auditors only.',
      }),
    ),
  },
  { title: 'ModalityResult', description: 'The result of one modality.' },
)

export const VerificationDecision = OneOf(VERIFICATION_DECISIONS, {
  title: 'VerificationDecision',
  description:
    'pass: verified. retry: the recording was not good enough; start again. fail: not verified. review: inconclusive; the engine alone does not verify the person.',
})

const VerificationMembers = {
  verification_id: VerificationId,
  session_id: VerificationSessionId,
  purpose: PurposeWord,
  passed: Flag('Whether the person was verified.'),
  decision: VerificationDecision,
  modalities: Type.Array(ModalityView, { description: 'The result of each modality.' }),
  reasons: Type.Array(Type.String(), { description: 'Why it did not pass, in plain words.' }),
  human_ref: HumanRef,
  assurance_level: Type.Optional(
    described(
      AssuranceLevel,
      'The level that it gives, when it passed: L3, or what the verification provider may give.',
    ),
  ),
  trust_score: Type.Optional(described(TrustScore, 'The trust of tokens at that level.')),
  provider: VerificationProvider,
  engine_version: Text('Version of the engine that judged, or the kind of verification provider.'),
  evidence_hash: Text(
    'SHA-256 digest of what was judged: of the canonical JSON of `session_id` and `media`, the digests of the recordings in order; at an external provider, of its decision.',
  ),
  withdrawn_at: Type.Optional(
    described(
      Instant,
      'When the verification provider withdrew its decision. The tokens that were issued on it are revoked.',
    ),
  ),
  verified_at: described(Instant, 'When it was judged.'),
}

export const VerificationView = Closed(
  {
    ...VerificationMembers,
    score: Type.Optional(described(Score, 'The overall score. For operators and auditors only.')),
  },
  { title: 'Verification', description: 'The result of a capture: hashes and results, never media.' },
)
export type VerificationView = Static<typeof VerificationView>

const LastStep = {
  session_id: VerificationSessionId,
  nonce: SessionNonce,
  step_id: Type.Optional(StepId),
  frames: Type.Optional(Frames),
  audio: Type.Optional(CapturedSound),
  device: Type.Optional(CaptureDevice),
}

const FINISH_ERRORS = [
  ...ANSWER_ERRORS,
  'verification_locked',
  'passkey_required',
  'passkey_refused',
] as const

export const capture = operation({
  method: 'POST',
  path: '/v1/vat/auth/capture',
  tag: 'Biometrics',
  summary: 'Judge a verification, and issue a root token (L3)',
  description:
    'Finishes a session for `verify`. The recording of the last step can be sent in the same call. If the person is verified and you send `agent_id`, `resources` and `actions`, the response contains a token. If the person is not verified, `passed` is false; this is not an error. Repeating the call returns the same response, and the token for ten minutes.',
  body: Closed(
    { ...LastStep, passkey: Type.Optional(AssertionResponse), ...L3TokenRequest, ...FaceApprovalRequest },
    { title: 'CaptureRequest' },
  ),
  body_rules: {
    dependentRequired: {
      step_id: ['frames'],
      frames: ['step_id'],
      audio: ['frames'],
      agent_id: ['resources', 'actions'],
      resources: ['agent_id'],
      actions: ['agent_id'],
    },
  },
  max_body_bytes: MAX_MEDIA_BODY_BYTES,
  cache_control: 'no-store',
  response: Closed(
    {
      ...VerificationView.properties,
      attempts_left: AttemptsLeft,
      token: Type.Optional(
        described(IssuedToken, 'The token, if one was requested and the person was verified.'),
      ),
    },
    { title: 'CaptureResult' },
  ),
  cross_origin: true,
  access: PUBLIC,
  errors: [
    'verification_pending',
    'verification_withdrawn',
    'provider_unavailable',
    ...FINISH_ERRORS,
    ...L3_TOKEN_ERRORS,
    'not_yours',
  ],
})

export const enroll = operation({
  method: 'POST',
  path: '/v1/vat/auth/enroll',
  tag: 'Biometrics',
  summary: 'Enroll a person',
  description:
    'Finishes a session for `enroll` and stores an encrypted template, never the media. The first enrollment of a person wins: a later one must match it. A person without a passkey creates one here (`passkey_registration`); a person who has one confirms with it (`passkey`).',
  body: Closed(
    {
      ...LastStep,
      passkey: Type.Optional(AssertionResponse),
      passkey_registration: Type.Optional(RegistrationResponse),
    },
    { title: 'EnrollRequest' },
  ),
  body_rules: {
    not: { required: ['passkey', 'passkey_registration'] },
    dependentRequired: { step_id: ['frames'], frames: ['step_id'], audio: ['frames'] },
  },
  max_body_bytes: MAX_MEDIA_BODY_BYTES,
  status: 201,
  cache_control: 'no-store',
  response: Closed(
    {
      ...VerificationView.properties,
      attempts_left: AttemptsLeft,
      enrolled: Flag('Whether the template was stored.'),
    },
    { title: 'EnrollResult' },
  ),
  cross_origin: true,
  access: PUBLIC,
  errors: [...FINISH_ERRORS, 'already_enrolled', 'not_yours', 'registry_conflict'],
})

export const getVerification = operation({
  method: 'GET',
  path: '/v1/vat/auth/verifications/{id}',
  tag: 'Biometrics',
  summary: 'Get a verification',
  description: 'Operators and auditors also see scores and measured values.',
  params: Closed({ id: VerificationId }),
  response: VerificationView,
  access: {
    ...about('verification', '/params/id'),
    operator: 'tenant',
    developer: 'tenant',
    auditor: 'tenant',
    human: 'own',
  },
  errors: ['verification_unknown'],
})

export const listVerifications = operation({
  method: 'GET',
  path: '/v1/vat/auth/verifications',
  tag: 'Biometrics',
  summary: 'List verifications',
  description: 'Newest first. People see their own, staff those of the tenant.',
  query: Closed({
    human_ref: Type.Optional(described(PersonRef, 'Only this person, by their `human_ref`.')),
    ...PageQuery,
  }),
  response: PageOf(VerificationView),
  access: {
    ...about('human', '/query/human_ref'),
    operator: 'tenant',
    developer: 'tenant',
    auditor: 'tenant',
    human: 'own',
  },
  errors: ['human_unknown'],
})

const EngineView = Closed(
  {
    state: OneOf(ENGINE_STATES, {
      title: 'EngineState',
      description:
        'ready: sessions can start. absent: not fetched yet. off: switched off by DEPUTY_ENGINE. installing: being fetched. failed: see `reason`.',
    }),
    engine_version: Type.Optional(Text('Version of the engine, when ready.')),
    voice: Type.Optional(Flag('Whether voices are compared, when ready.')),
    done_bytes: Type.Optional(Count('Bytes fetched so far, while installing.')),
    total_bytes: Type.Optional(Count('Bytes to fetch, while installing.')),
    doing: Type.Optional(Text('What the installation does now.')),
    reason: Type.Optional(Text('Why the installation failed.')),
  },
  { title: 'VerificationEngine', description: 'The engine that judges captures.' },
)
export type EngineView = Static<typeof EngineView>

export const getEngine = operation({
  method: 'GET',
  path: '/v1/vat/auth/engine',
  tag: 'Biometrics',
  summary: 'Get the state of the verification engine',
  response: EngineView,
  access: PUBLIC,
  errors: [],
})

export const installEngine = operation({
  method: 'POST',
  path: '/v1/vat/auth/engine/install',
  tag: 'Biometrics',
  summary: 'Fetch the verification engine',
  description: 'Starts to fetch the models and returns at once. Poll GET /v1/vat/auth/engine.',
  response: EngineView,
  access: { operator: 'deployment' },
  errors: ['engine_unavailable'],
})
