/** Every refusal the service can answer with. The code is stable; the words around it may improve. */
export const ERRORS = {
  invalid_request: {
    status: 400,
    title: 'The request does not fit the schema',
    help: 'Each entry of `errors` points at one field and says what it must be. Correct those fields and send the request again.',
  },
  malformed_json: {
    status: 400,
    title: 'The body is not acceptable JSON',
    help: 'Send one JSON object in UTF-8, without repeated member names, and not nested deeper than 16 levels.',
  },
  credential_required: {
    status: 401,
    title: 'Nobody says who is calling',
    help: "In keyed mode every call carries a credential: an API key (Authorization: Bearer dk_...), the agent's own token (Authorization: DPoP <token> with a proof, or Bearer where the tenant allows it), or the session of a person who has signed in.",
  },
  credential_invalid: {
    status: 401,
    title: 'The credential is not accepted',
    help: '`reason` says what is wrong with it. Nothing was done.',
  },
  role_not_allowed: {
    status: 403,
    title: 'This role may not make this call',
    help: 'Each credential has one role, and the table of roles in the documentation says who may call what. Use a credential of another role.',
  },
  not_yours: {
    status: 403,
    title: 'The credential is good, but not for this',
    help: 'An agent acts with its own token only, a resource server with tokens that are shown to it, a person in their own name.',
  },
  step_up_required: {
    status: 403,
    title: 'This takes a fresh passkey',
    help: 'The tenant asks people to confirm such deeds with their passkey. `reason` says what is missing. Ask for a challenge for exactly this call (POST /v1/vat/auth/step-up/options), answer it, and send the call again with the grant in the header Deputy-Step-Up.',
  },
  passkey_refused: {
    status: 403,
    title: 'The passkey was not taken',
    help: '`reason` says why. Nothing was done. Ask for a new challenge and try again.',
  },
  host_not_allowed: {
    status: 403,
    title: 'The Host header is not a name of this service',
    help: 'In open mode Deputy answers only to localhost, 127.0.0.1 and [::1] with its own port, in keyed mode to the host of DEPUTY_PUBLIC_URL as well. This stops web pages from reaching it through DNS rebinding.',
  },
  peer_not_local: {
    status: 403,
    title: 'The caller is not on this machine',
    help: 'In open mode only programs on the same machine may call. Call from this machine.',
  },
  forwarded_request: {
    status: 403,
    title: 'The request came through a proxy',
    help: 'In open mode Deputy refuses requests with Forwarded, X-Forwarded-*, X-Real-IP or Via headers, because a proxy would make the whole network look local. Call the service directly.',
  },
  cross_site_request: {
    status: 403,
    title: 'A web page of another site made this request',
    help: 'Only pages served by Deputy itself may call it from a browser. With a session every change also carries its token in the header Deputy-CSRF.',
  },
  not_allowed: {
    status: 403,
    title: 'The token does not allow this action',
    help: 'The `reasons` list says which limits were hit. The attempt was kept as a denial (`denial_id`) and nothing was recorded as done.',
  },
  scope_widening: {
    status: 403,
    title: 'More is asked for than there is to give',
    help: 'Authority only narrows along a chain, and never exceeds what the groups of its person allow. `widening` lists every entry that is too much: leave those out, or ask a holder of more.',
  },
  delegation_not_allowed: {
    status: 403,
    title: 'This token may not be delegated',
    help: 'A token can be passed on only if it holds the action `delegate` and the chain has room below it.',
  },
  token_not_live: {
    status: 403,
    title: 'The token is not in force',
    help: '`reasons` says why: it was revoked, suspended, has expired or is not valid yet, or one of its ancestors is.',
  },
  policy_unmet: {
    status: 403,
    title: 'The token does not meet a policy it asserts',
    help: '`unmet` names each rule. Change the token so that it meets them, or do not assert the policy.',
  },
  sign_on_failed: {
    status: 403,
    title: 'The sign-on was not taken',
    help: '`reason` says why. Begin a new sign-on; if it fails again, compare the settings of the provider with the file that DEPUTY_OIDC_FILE names.',
  },
  not_found: {
    status: 404,
    title: 'There is nothing at this address',
    help: 'Check the path against /docs or /openapi.json.',
  },
  token_unknown: {
    status: 404,
    title: 'No token has this jti',
    help: 'Use the `jti` that an issue call answered with. It begins with vat_root_ or vat_sub_.',
  },
  record_unknown: {
    status: 404,
    title: 'No action record has this id',
    help: 'Use the `aar_id` that authorize or record/action answered with. It begins with aar_.',
  },
  parent_record_unknown: {
    status: 404,
    title: 'The parent action is not part of this workflow',
    help: '`parent_aar_id` must name an action record with the same provenance_ref as the token.',
  },
  denial_unknown: {
    status: 404,
    title: 'No denial has this id',
    help: 'Use the `denial_id` of an answer that said no. It begins with den_.',
  },
  agent_unknown: {
    status: 404,
    title: 'No agent has this name',
    help: 'An agent appears with its first token. Use the agent_id given at issuance, without the agent: prefix.',
  },
  human_unknown: {
    status: 404,
    title: 'No token stands for this human',
    help: 'Use the `human_ref` of a token or a record. It begins with sha256: and appears with the first token.',
  },
  workflow_unknown: {
    status: 404,
    title: 'No workflow has this provenance_ref',
    help: 'Use the `provenance_ref` that an issue call answered with. It begins with prov_.',
  },
  approval_unknown: {
    status: 404,
    title: 'No approval has this id',
    help: 'Use the `approval_id` that authorize answered with. It begins with apr_.',
  },
  login_unknown: {
    status: 404,
    title: 'No sign-on of yours has this id',
    help: 'Use the `login_id` that start answered you with. A sign-on is forgotten ten minutes after it was begun.',
  },
  provider_unknown: {
    status: 404,
    title: 'No sign-on provider has this name',
    help: 'GET /v1/vat/auth/providers lists those there are. Name one of them where there are several. They are configured in the file that DEPUTY_OIDC_FILE names.',
  },
  log_entry_unknown: {
    status: 404,
    title: 'The log does not reach that far',
    help: 'GET /checkpoint says how many entries the log has. Entries are numbered from 0, and a tile is served once it holds what its address says.',
  },
  policy_unknown: {
    status: 404,
    title: 'No policy has this name',
    help: 'GET /v1/vat/policies lists the policies there are.',
  },
  tenant_unknown: {
    status: 404,
    title: 'No tenant has this id',
    help: 'GET /v1/vat/tenants lists the tenants that your credential can see.',
  },
  key_unknown: {
    status: 404,
    title: 'No API key has this id',
    help: 'GET /v1/vat/keys lists the keys of your tenant. The id is the part after dk_.',
  },
  passkey_unknown: {
    status: 404,
    title: 'No passkey has this id',
    help: 'GET /v1/vat/auth/passkeys lists those that you can see.',
  },
  method_not_allowed: {
    status: 405,
    title: 'This address does not take this method',
    help: 'The Allow header lists the methods that it takes.',
  },
  rating_immutable: {
    status: 409,
    title: 'This action has been rated, and a rating never changes',
    help: 'The answer carries the stored rating and when it was given.',
  },
  login_not_usable: {
    status: 409,
    title: 'This sign-on cannot be used now',
    help: '`login_status` says why: it is pending until the person has signed in and confirmed, and it is good for one token.',
  },
  approval_decided: {
    status: 409,
    title: 'This approval has been decided or has expired',
    help: 'A decision stands. The answer carries it.',
  },
  tenant_exists: {
    status: 409,
    title: 'A tenant has this id already',
    help: 'Choose another id. It never changes, so a tenant that is gone keeps its own.',
  },
  registry_conflict: {
    status: 409,
    title: 'Somebody else changed this at the same time',
    help: 'Nothing was done. Read it again, and send the change again if it is still right.',
  },
  already_set_up: {
    status: 409,
    title: 'This deployment has its operator already',
    help: 'The set-up secret works once. Ask an operator for a key. If every operator key is lost, start the service with DEPUTY_ACCESS=open on this machine alone, make a key with POST /v1/vat/keys, and start it in keyed mode again.',
  },
  record_closed: {
    status: 409,
    title: 'This action record is closed already',
    help: 'A completed, cancelled or expired record never changes. Repeating the very same completion is fine and answers the stored record.',
  },
  body_too_large: {
    status: 413,
    title: 'The body is larger than the service accepts',
    help: 'Keep the body under 1 MiB. Store large results elsewhere and send their digest as result_hash.',
  },
  unsupported_media_type: {
    status: 415,
    title: 'The body is not of the media type that this address takes',
    help: 'Send the header Content-Type: application/json. Only the OAuth addresses /oauth/token and /v1/vat/introspect take application/x-www-form-urlencoded, and nothing else.',
  },
  idempotency_mismatch: {
    status: 422,
    title: 'This Idempotency-Key was used with another request',
    help: 'Use a fresh key for each new request; repeat a key only to repeat the very same request.',
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    help: 'Wait for the number of seconds in the Retry-After header, then go on.',
  },
  internal: {
    status: 500,
    title: 'Something went wrong on our side',
    help: 'The request was not carried out. Quote the request_id when you report it: the log of the service holds the cause.',
  },
  overloaded: {
    status: 503,
    title: 'The service has more work queued than it may hold',
    help: 'Nothing was done. Try again after the number of seconds in the Retry-After header.',
  },
  storage_unavailable: {
    status: 503,
    title: 'The store could not be read or written',
    help: 'Nothing was acknowledged. Try again after Retry-After; a change with the same Idempotency-Key, so that nothing can happen twice.',
  },
  provider_unavailable: {
    status: 503,
    title: 'The sign-on provider could not be asked',
    help: 'It was not reachable, or answered with something else than OpenID Connect. Try again after Retry-After.',
  },
  checkpoint_pending: {
    status: 503,
    title: 'No published checkpoint covers this yet',
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

/** A refusal: the caller asked for what cannot be. The message is safe to show. */
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

/** A refusal of one field, in the same form as a schema violation. */
export function invalidField(pointer: string, detail: string): AuthorityError {
  return new AuthorityError('invalid_request', `${pointer} ${detail}`, { errors: [{ pointer, detail }] })
}
