/** Every error of the service. The code is stable; the texts can change. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'Invalid request',
    help: 'Each entry in `errors` points at one field and says what it must be. Fix those fields and send the request again.',
  },
  malformed_json: {
    status: 400,
    title: 'Invalid JSON',
    help: 'Send one JSON object in UTF-8, without duplicate member names and at most 16 levels deep.',
  },
  credential_required: {
    status: 401,
    title: 'Missing credential',
    help: 'In keyed mode every call needs a credential: an API key (Authorization: Bearer dk_...), the token of the agent (Authorization: DPoP <token> with a proof, or Bearer where the tenant allows it), or the session of a signed-in person.',
  },
  credential_invalid: {
    status: 401,
    title: 'Invalid credential',
    help: '`reason` says what is wrong. Send a valid API key, a live token with a fresh DPoP proof, or sign in again. Nothing was done.',
  },
  callback_refused: {
    status: 401,
    title: 'Callback refused',
    help: 'The signature does not match the body, or its time is more than five minutes off (`tolerance_s` of a generic provider). Compare the signing secret with the one that the sender shows: for a verification provider in the file that DEPUTY_IDV_FILE names, for Slack in `messages.slack_signing_secret` of the tenant. Check the clock of this machine.',
  },
  role_not_allowed: {
    status: 403,
    title: 'Role not allowed',
    help: 'The role of this credential may not make this call. GET /v1/vat/auth/me lists what this credential may call, and /guides/roles lists the roles of every operation. Use a credential with another role.',
  },
  not_yours: {
    status: 403,
    title: 'Not allowed for this credential',
    help: 'The credential is valid but does not cover this. An agent can act only with its own token, a resource server only with tokens that agents present to it, and a person only on their own behalf.',
  },
  step_up_required: {
    status: 403,
    title: 'Passkey confirmation required',
    help: 'The tenant requires a fresh passkey for this call. `reason` says what is missing. Get a challenge for exactly this call (POST /v1/vat/auth/step-up/options), answer it, and send the call again with the grant in the header Deputy-Step-Up.',
  },
  passkey_required: {
    status: 403,
    title: 'Passkey required',
    help: '`reason` says what is missing. A biometric verification also needs a passkey with user verification (DEPUTY_L3_PASSKEY), and a passkey always replaces a step that the person cannot do. POST /v1/vat/auth/sessions/{id}/passkey returns the options for the browser.',
  },
  face_required: {
    status: 403,
    title: 'Biometric verification required',
    help: 'The tenant requires a biometric verification for this approval (`face_approvals`). `reason` says what is missing. Start a session with purpose verify, finish it with POST /v1/vat/auth/capture and this `approval_id`, and approve with the `verification_id` that it returns within `max_age_s` seconds. Denying needs no verification.',
  },
  consent_required: {
    status: 403,
    title: 'Consent required',
    help: 'Show the person the text of GET /v1/vat/auth/consent. Once they accept it, send its version in `consent.version`. `version` is the current one. People who accepted an older text must accept the current one.',
  },
  passkey_refused: {
    status: 403,
    title: 'Passkey refused',
    help: '`reason` says why. Nothing was done. Get a new challenge and try again.',
  },
  host_not_allowed: {
    status: 403,
    title: 'Host not allowed',
    help: 'The Host header must name this service. In open mode Deputy answers only to localhost, 127.0.0.1 and [::1] with its own port, in keyed mode also to the host of DEPUTY_PUBLIC_URL. This stops web pages from reaching it through DNS rebinding.',
  },
  peer_not_local: {
    status: 403,
    title: 'Caller is not on this machine',
    help: 'In open mode only programs on the same machine may call. Call from this machine, or run the service in keyed mode.',
  },
  forwarded_request: {
    status: 403,
    title: 'Request came through a proxy',
    help: 'In open mode Deputy refuses requests with Forwarded, X-Forwarded-*, X-Real-IP or Via headers, because a proxy would make the whole network look local. Call the service directly.',
  },
  cross_site_request: {
    status: 403,
    title: 'Cross-site request',
    help: 'Only pages that Deputy serves may call it from a browser. In a session every change also needs the CSRF token in the header Deputy-CSRF.',
  },
  not_allowed: {
    status: 403,
    title: 'The token does not allow this action',
    help: '`reasons` lists why, and `detail` says what helps. The attempt is stored as a denial (`denial_id`). No action was recorded.',
  },
  scope_widening: {
    status: 403,
    title: 'The child token asks for more than its parent holds',
    help: 'A child token can hold only what its parent holds, and a person can grant only what their groups allow. `widening` lists every entry that goes beyond that. Leave those out, or use a parent that holds them.',
  },
  delegation_not_allowed: {
    status: 403,
    title: 'This token cannot be delegated',
    help: 'A token can be delegated only if it holds the action `delegate` and its chain is below the maximum depth. Use such a token, or ask the person who granted this one for another.',
  },
  token_not_live: {
    status: 403,
    title: 'The token is not live',
    help: '`reasons` says why: the token or one of its ancestors is revoked, suspended, expired or not valid yet, or its agent is suspended. Use a live token, or have this one resumed.',
  },
  rank_too_low: {
    status: 403,
    title: 'A higher rank suspended this',
    help: 'Only the rank that suspended this, or a higher one, can resume it. From lowest to highest: agent, developer, person, operator. `suspended_by` names the rank. Ask such a caller to resume it.',
  },
  key_required: {
    status: 403,
    title: 'The token must be bound to a key',
    help: 'Send the public key of the agent as agent_jwk. A child of a token that is bound to a key must also be bound to one, and a tenant accepts unbound tokens only with allow_bearer (PATCH /v1/vat/tenants/{tenant_id}).',
  },
  human_refuses: {
    status: 403,
    title: 'The person refuses new tokens in their name',
    help: 'The person chose "not in my name". Existing tokens are not affected. The person or an operator can lift this: POST /v1/vat/humans/{human_ref}/accept.',
  },
  policy_unmet: {
    status: 403,
    title: 'The token does not meet its policies',
    help: '`unmet` lists the rules that the token does not meet. Change the token to meet them, or leave out the policy.',
  },
  provider_not_allowed: {
    status: 403,
    title: 'Provider not allowed',
    help: 'The tenant does not verify people with this provider. `providers` lists the ones it allows. Name one of them, or ask an operator to change the setting `verification` of the tenant (PATCH /v1/vat/tenants/{tenant_id}).',
  },
  sign_on_too_old: {
    status: 403,
    title: 'Sign-in too old',
    help: 'Adding a passkey and enrolling need a sign-in from the last five minutes. Sign in again (at `sign_in_path`, if it is given), then repeat the call. To add a passkey, you can also confirm with one that you already have (header Deputy-Step-Up).',
  },
  sign_on_failed: {
    status: 403,
    title: 'Sign-in failed',
    help: '`reason` says why. Start a new sign-in. If it fails again, compare the settings of the provider with the file that DEPUTY_OIDC_FILE names.',
  },
  not_found: {
    status: 404,
    title: 'Not found',
    help: 'Check the path against /docs or /openapi.json.',
  },
  token_unknown: {
    status: 404,
    title: 'Unknown token',
    help: 'Use the `jti` that an issue call returned. It starts with vat_root_ or vat_sub_.',
  },
  record_unknown: {
    status: 404,
    title: 'Unknown action record',
    help: 'Use the `aar_id` that authorize or record/action returned. It starts with aar_.',
  },
  parent_record_unknown: {
    status: 404,
    title: 'Unknown parent action',
    help: '`parent_aar_id` must be an action record with the same provenance_ref as the token.',
  },
  denial_unknown: {
    status: 404,
    title: 'Unknown denial',
    help: 'Use the `denial_id` that the denied call returned. It starts with den_.',
  },
  agent_unknown: {
    status: 404,
    title: 'Unknown agent',
    help: 'No token was issued to an agent with this ID. Use the agent_id of a token.',
  },
  human_unknown: {
    status: 404,
    title: 'Unknown person',
    help: 'Use the `human_ref` of a token or a record. It starts with sha256:. A person is known from their first token on.',
  },
  workflow_unknown: {
    status: 404,
    title: 'Unknown workflow',
    help: 'Use the `provenance_ref` that an issue call returned. It starts with prov_.',
  },
  approval_unknown: {
    status: 404,
    title: 'Unknown approval',
    help: 'Use the `approval_id` that authorize returned. It starts with apr_.',
  },
  login_unknown: {
    status: 404,
    title: 'Unknown sign-in',
    help: 'Use the `login_id` that your own start call returned. A sign-in is deleted ten minutes after it starts.',
  },
  provider_unknown: {
    status: 404,
    title: 'Unknown provider',
    help: 'GET /v1/vat/auth/providers lists the providers. If there are several, name one of them. Sign-in providers are configured in the file that DEPUTY_OIDC_FILE names, verification providers in the file that DEPUTY_IDV_FILE names.',
  },
  log_entry_unknown: {
    status: 404,
    title: 'Unknown log entry',
    help: 'GET /checkpoint returns the size of the log. Entries are numbered from 0, and a tile exists once the log has every entry that its path covers.',
  },
  policy_unknown: {
    status: 404,
    title: 'Unknown policy',
    help: 'GET /v1/vat/policies lists the policies.',
  },
  tenant_unknown: {
    status: 404,
    title: 'Unknown tenant',
    help: 'GET /v1/vat/tenants lists the tenants that your credential can see.',
  },
  key_unknown: {
    status: 404,
    title: 'Unknown API key',
    help: 'GET /v1/vat/keys lists the keys of your tenant. The ID is the part after dk_.',
  },
  passkey_unknown: {
    status: 404,
    title: 'Unknown passkey',
    help: 'GET /v1/vat/auth/passkeys lists the passkeys that you can see.',
  },
  sign_in_unknown: {
    status: 404,
    title: 'Unknown session',
    help: 'The session has ended, or you may not see it. GET /v1/vat/auth/sign-ins lists the sessions that you can end.',
  },
  session_unknown: {
    status: 404,
    title: 'Unknown verification session',
    help: 'Use the `session_id` of a session that you opened; it starts with vs_. Sessions are deleted some minutes after they end. Open a new one.',
  },
  verification_unknown: {
    status: 404,
    title: 'Unknown verification',
    help: 'Use the `verification_id` that capture or enroll returned. It starts with vrf_.',
  },
  webhook_unknown: {
    status: 404,
    title: 'Unknown webhook',
    help: 'GET /v1/vat/webhooks lists the webhooks of your tenant. IDs start with whk_.',
  },
  delivery_unknown: {
    status: 404,
    title: 'Unknown delivery',
    help: 'GET /v1/vat/webhooks/{webhook_id}/deliveries lists the deliveries of the last 7 days. To send older events again, replay the webhook from a log index.',
  },
  signing_key_unknown: {
    status: 404,
    title: 'Unknown signing key',
    help: 'GET /v1/vat/signing-keys lists the signing keys. Use the `kid` of one of them.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    help: 'The Allow header lists the methods of this path.',
  },
  not_enrolled: {
    status: 409,
    title: 'This person is not enrolled',
    help: 'No biometric template of this person is stored: they never enrolled, withdrew their consent, or the template reached the end of its retention. Start a session with purpose enroll (POST /v1/vat/auth/sessions).',
  },
  already_enrolled: {
    status: 409,
    title: 'This person is already enrolled',
    help: 'To enroll again, the person must first pass a verification or delete the template (DELETE /v1/vat/auth/biometrics/{human_ref}).',
  },
  rating_immutable: {
    status: 409,
    title: 'This action is already rated',
    help: 'A rating never changes. This answer includes the stored rating and its time.',
  },
  login_not_usable: {
    status: 409,
    title: 'This sign-in cannot be used',
    help: '`login_status` says why. Wait until the person has signed in and confirmed, or start a new sign-in: each one works for one token.',
  },
  cannot_vouch: {
    status: 403,
    title: 'You cannot vouch for this',
    help: 'You cannot vouch for yourself, for an agent that acts or acted in your name, or for more than 1,000 subjects at a time. `reason` says which applies. Withdraw a vouch, or ask someone else to vouch.',
  },
  not_an_approver: {
    status: 403,
    title: 'You cannot approve this request',
    help: 'The token names the people or the role that can approve. `approvers` in GET /v1/vat/approvals/{id} lists them. The person the agent acts for can always deny.',
  },
  agent_taken: {
    status: 409,
    title: 'The agent belongs to someone else',
    help: 'The first caller who uses an agent_id owns it. Choose another agent_id, send the agent_jwk that the agent has registered, or ask its owner or an operator to add you to owned_by (PATCH /v1/vat/agents/{agent_id}).',
  },
  key_removed: {
    status: 409,
    title: 'The agent no longer uses this key',
    help: 'The key in agent_jwk, or of the token to renew, was removed from the agent, so no new token is bound to it. Issue a token to the key that the agent uses now, or add this one again (PATCH /v1/vat/agents/{agent_id} with add_keys).',
  },
  approval_decided: {
    status: 409,
    title: 'This approval is already decided',
    help: 'The approval was decided or has expired, and a decision never changes. This answer includes it.',
  },
  alert_unknown: {
    status: 404,
    title: 'Unknown alert',
    help: 'Your tenant has no alert with this ID. GET /v1/vat/auth/duress-alerts lists them.',
  },
  stream_unknown: {
    status: 404,
    title: 'Unknown stream',
    help: 'Use the `stream_id` that POST /v1/vat/ssf/streams returned. It starts with str_. GET /v1/vat/ssf/streams lists the streams of your tenant.',
  },
  rule_unknown: {
    status: 404,
    title: 'Unknown alert rule',
    help: 'Your tenant has no alert rule with this ID. It starts with alr_. GET /v1/vat/alerts/rules lists them.',
  },
  too_many_rules: {
    status: 409,
    title: 'Too many alert rules',
    help: 'A tenant has at most 50 alert rules. Delete one that you no longer need: DELETE /v1/vat/alerts/rules/{rule_id}.',
  },
  audit_pack_empty: {
    status: 404,
    title: 'The audit pack would be empty',
    help: 'No workflow of the chosen agents started or was active in the chosen time. Choose a longer time or other agents. GET /v1/vat/audit/preview counts what a pack would contain.',
  },
  audit_pack_too_large: {
    status: 409,
    title: 'The audit pack is too large',
    help: 'A pack has at most 1,000 workflows and 100,000 tokens, actions, denials and approvals together. Choose a shorter time or fewer agents, and make several packs. GET /v1/vat/audit/preview counts what a pack would contain.',
  },
  vouch_unknown: {
    status: 404,
    title: 'Unknown vouch',
    help: 'Use the `vouch_id` that POST /v1/vat/trust/vouches returned. It starts with vch_. GET /v1/vat/trust/vouches lists the vouches that you can see.',
  },
  channel_unknown: {
    status: 404,
    title: 'Unknown channel',
    help: 'You have no channel with this ID. GET /v1/vat/notifications lists your channels.',
  },
  channel_unavailable: {
    status: 409,
    title: 'Channel not available',
    help: '`reason` says why: the operator has configured no mail server (DEPUTY_SMTP_URL), the tenant does not allow this kind of channel, or the channel is not confirmed yet. `available` in GET /v1/vat/notifications lists what can be added.',
  },
  too_many_channels: {
    status: 409,
    title: 'Too many channels',
    help: 'A person or a tenant has at most 20 channels. Remove one first (DELETE /v1/vat/notifications/channels/{channel_id}).',
  },
  code_refused: {
    status: 403,
    title: 'Code refused',
    help: 'The code is wrong, already used, older than 15 minutes, or was tried five times. To get a new one, remove the channel and add it again.',
  },
  vouch_exists: {
    status: 409,
    title: 'You already vouch for this',
    help: 'You can vouch once for the same subject and context. `vouch_id` names that vouch. Change its weight or its end (PATCH /v1/vat/trust/vouches/{vouch_id}), or withdraw it first.',
  },
  vouch_ended: {
    status: 409,
    title: 'This vouch has ended',
    help: 'A vouch that was withdrawn, has expired or ended with an erasure cannot change. Create a new one: POST /v1/vat/trust/vouches.',
  },
  tenant_exists: {
    status: 409,
    title: 'This tenant already exists',
    help: 'Choose another ID. IDs are never reused, even after a tenant is gone.',
  },
  registry_conflict: {
    status: 409,
    title: 'Conflicting change',
    help: 'Another caller changed this at the same time, and nothing was done. Read it again, and repeat your change if it is still right.',
  },
  held_key: {
    status: 409,
    title: 'This key belongs to a sign-in',
    help: 'A person got this key by signing in to the dashboard with their sign-in provider. It has no secret and lasts only as long as that sign-in allows, so it cannot be replaced. For a program, create a key (POST /v1/vat/keys). To end the sessions of the key, delete it.',
  },
  already_set_up: {
    status: 409,
    title: 'Setup is already done',
    help: 'The setup secret works once. Ask an operator for a key. If every operator key is lost, start the service on this machine with DEPUTY_ACCESS=open, create a key with POST /v1/vat/keys, and start it in keyed mode again.',
  },
  spend_out_of_range: {
    status: 409,
    title: 'The total of the token is out of range',
    help: 'A token can spend and reserve at most 9 billion dollars in total. This spend would exceed that for the token `vat_jti`, which is this token or an ancestor. Check the amount in `spend_usd`. If it is right, continue with a new token.',
  },
  rotation_too_soon: {
    status: 409,
    title: 'The next signing key is too new',
    help: 'A key is published for six minutes before it signs, so that every verifier knows it. Rotate at `ready_at` or later. If the active key was stolen, withdraw it (POST /v1/vat/signing-keys/{kid}/withdraw).',
  },
  session_closed: {
    status: 409,
    title: 'The verification session is closed',
    help: '`state` says why: it was judged, cancelled, or has expired. A session works once. Open a new one.',
  },
  session_taken: {
    status: 409,
    title: 'Another device has this session',
    help: 'A session belongs to the first device that opens it. Continue there, or wait until its three minutes are over and open it again with the client token.',
  },
  session_not_judged: {
    status: 409,
    title: 'The verification session is not judged yet',
    help: 'There is nothing to collect yet. Watch the session (POST /v1/vat/auth/sessions/{id}/watch) until `state` is judged.',
  },
  verification_pending: {
    status: 409,
    title: 'The verification provider has not decided yet',
    help: 'The person has not finished at the provider, or the provider is still checking. Watch the session (POST /v1/vat/auth/sessions/{id}/watch), and finish it once the provider has decided.',
  },
  verification_withdrawn: {
    status: 409,
    title: 'The verification provider withdrew its decision',
    help: 'No token is issued on a decision that its provider has withdrawn, and tokens that were issued on it are revoked. Verify the person again.',
  },
  step_mismatch: {
    status: 409,
    title: 'Wrong step',
    help: 'Answer steps one at a time and in order. `step_id` names the step that is due, if there is one. Another upload of the same step may have arrived first.',
  },
  nonce_mismatch: {
    status: 409,
    title: 'Wrong nonce',
    help: 'Send the `nonce` that was returned when this session was opened.',
  },
  answer_early: {
    status: 409,
    title: 'The answer came too early',
    help: 'A recording can start only after its step is revealed, and lasts as long as its frames say. Record for `duration_ms`, then send it. The step is still due.',
  },
  answer_late: {
    status: 409,
    title: 'The answer came too late',
    help: 'An answer must arrive by `answer_by` of its step. Open a new session.',
  },
  record_closed: {
    status: 409,
    title: 'This action record is closed',
    help: 'A completed, cancelled or expired record never changes. Repeating the same completion is fine and returns the stored record.',
  },
  body_too_large: {
    status: 413,
    title: 'Body too large',
    help: 'The limit is 1 MiB, or 9 MiB for a body with a recording (`capture.max_bytes`). Store large results elsewhere and send their digest as result_hash.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'Unsupported media type',
    help: 'Send the header Content-Type: application/json. Only the OAuth paths /oauth/token, /oauth/revoke and /v1/vat/introspect take application/x-www-form-urlencoded, and nothing else.',
  },
  media_invalid: {
    status: 422,
    title: 'The recording cannot be read',
    help: '`errors` points at the frame or the sound. Send baseline or progressive JPEG with three components and 16-bit mono PCM, both in base64. The step is still due.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'Idempotency-Key reused with another request',
    help: 'Use a new key for each new request. Repeat a key only to repeat the same request.',
  },
  webhook_limit: {
    status: 409,
    title: 'Too many webhooks',
    help: 'A tenant has at most 100 webhooks. Delete one that you no longer need, or let one webhook receive more types of events.',
  },
  stream_limit: {
    status: 409,
    title: 'Too many signal streams',
    help: 'A tenant has at most 100 streams of signals. Delete one first: DELETE /v1/vat/ssf/streams?stream_id={stream_id}.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for the number of seconds in the Retry-After header, then continue.',
  },
  log_restored: {
    status: 410,
    title: 'The log was restored from a backup',
    help: 'The cursor points at an event that was lost when the service was restored from a backup. Continue with the number in `after`: the last event that is the same as before. Treat all events after it as new.',
  },
  too_many_streams: {
    status: 429,
    title: 'Too many open event streams',
    help: 'This caller, its tenant, or all callers together have reached the limit of open event streams on this node. Close some of them, or read pages with `wait` instead.',
  },
  audit_pack_busy: {
    status: 429,
    title: 'Another audit pack is being made',
    help: 'A tenant can download one audit pack at a time from each node. Wait until the other download has ended, or cancel it.',
  },
  verification_locked: {
    status: 429,
    title: 'Too many failed verifications',
    help: 'Verification of this person is locked for the number of seconds in the Retry-After header. Each further failure doubles the time. Sign-in and revocation are not affected.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    help: 'The request was not carried out. Quote the request_id when you report it: the log of the service holds the cause.',
  },
  overloaded: {
    status: 503,
    title: 'The service is overloaded',
    help: 'Nothing was done. Try again after the number of seconds in the Retry-After header.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The store is unavailable',
    help: 'Nothing was acknowledged. Try again after Retry-After. Repeat a change with the same Idempotency-Key, so that it cannot happen twice.',
  },
  storage_full: {
    status: 503,
    title: 'The disk is full',
    help: 'Nothing was done. Free space on the disk of the store; the service recovers by itself. Calls that stop an agent or take back a credential still work: they use space that the service has reserved.',
  },
  storage_damaged: {
    status: 503,
    title: 'The stored log is damaged',
    help: 'An entry of the log does not match its hash, or cannot be read: the disk or another program has changed the data. Copy the data directory or the database, run `deputy check`, and restore the newest backup. Changes are still accepted, so that agents can be stopped.',
  },
  clock_jumped: {
    status: 503,
    title: 'The clock of the service is wrong',
    help: 'The clock of this node disagrees with its steady clock or with the database by more than five seconds, so it records nothing until they agree. Correct the clock; if the new time is right, restart the service. Calls that stop an agent or take back a credential still work.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The provider is unavailable',
    help: 'The sign-in or verification provider could not be reached, refused the call, or gave an unexpected answer. Nothing is lost: try again after Retry-After, or name another provider.',
  },
  engine_unavailable: {
    status: 503,
    title: 'The verification engine is unavailable',
    help: '`engine` says why. If it is being fetched, try again after Retry-After. If it is absent or failed, an operator runs `deputy verification install` or calls POST /v1/vat/auth/engine/install. If it is off, set DEPUTY_ENGINE=auto. If it is ready, it failed just now: `detail` says how, and the call can be sent again after Retry-After. Other calls are not affected.',
  },
  engine_busy: {
    status: 503,
    title: 'The verification engine is busy',
    help: 'Nothing was judged. Send the same call again after the number of seconds in the Retry-After header.',
  },
  trust_unavailable: {
    status: 503,
    title: 'Scores cannot be computed now',
    help: '`reason` says why: the trust graph is being loaded after a start, too many scores are requested at once, or computing took too long. Try again after Retry-After. Vouches and all other calls are not affected, and `min_vouch_score` uses the latest stored scores.',
  },
  checkpoint_pending: {
    status: 503,
    title: 'No checkpoint covers this yet',
    help: 'The log is signed about once a second, and with a quorum only after enough witnesses have cosigned. Try again after Retry-After.',
  },
  shutting_down: {
    status: 503,
    title: 'The service is shutting down',
    help: 'Nothing was done. Try again after Retry-After.',
  },
} as const satisfies Record<string, { status: number; title: string; help: string }>

export type ErrorCode = keyof typeof ERRORS

export interface FieldError {
  /** JSON pointer to the field, `?name` for a query parameter, `{name}` for a part of the path. */
  pointer: string
  detail: string
}

/** A request that the service refuses. The message is safe to show. */
export class AuthorityError extends Error {
  override readonly name = 'AuthorityError'
  readonly code: ErrorCode
  /** Members added to the problem body, such as `errors` or the stored rating. */
  readonly members: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, detail?: string, members: Readonly<Record<string, unknown>> = {}) {
    super(detail ?? ERRORS[code].help)
    this.code = code
    this.members = members
  }
}

/** One invalid field, reported in the same form as a schema violation. */
export function invalidField(pointer: string, detail: string): AuthorityError {
  return new AuthorityError('invalid_request', `${pointer} ${detail}`, { errors: [{ pointer, detail }] })
}
