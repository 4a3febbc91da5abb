/**
 * Events as rows of the Open Cybersecurity Schema Framework (OCSF), which SIEMs read without a custom parser.
 *
 * Each row names the person (`actor.user.uid`), the agent (`actor.app_uid`), the token (`actor.session.uid`) and the
 * reason (`status_code`), if the event has them, in the same place in every class.
 */

/** The version of OCSF that the rows follow. */
export const OCSF_VERSION = '1.8.0'

/** An event as the feed, webhooks and exports contain it. */
export interface OcsfSource {
  readonly id: string
  readonly type: string
  readonly log_index: number
  /** ISO 8601. */
  readonly occurred_at: string
  readonly tenant_id: string
  readonly provenance_ref?: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

/** The origin that every row states. */
export interface OcsfOrigin {
  /** The issuer of the tokens. */
  readonly issuer: string
  /** The version of the service, if known. */
  readonly version?: string
}

const CLASSES = {
  authentication: { uid: 3002, category: 3, name: 'Authentication' },
  authorize_session: { uid: 3003, category: 3, name: 'Authorize Session' },
  entity_management: { uid: 3004, category: 3, name: 'Entity Management' },
  api_activity: { uid: 6003, category: 6, name: 'API Activity' },
} as const

const CATEGORY_NAMES = { 3: 'Identity & Access Management', 6: 'Application Activity' } as const

type ClassName = keyof typeof CLASSES

interface Activity {
  readonly id: number
  readonly name: string
}

const OTHER = 99
const SEVERITIES = { informational: 1, low: 2, medium: 3, high: 4 } as const
type Severity = keyof typeof SEVERITIES

export interface OcsfRow {
  readonly class_uid: number
  readonly class_name: string
  readonly category_uid: number
  readonly category_name: string
  readonly activity_id: number
  readonly activity_name: string
  readonly type_uid: number
  readonly type_name: string
  readonly time: number
  readonly severity_id: number
  readonly severity: string
  readonly status_id: number
  readonly status: string
  readonly message: string
  readonly metadata: object
  readonly [attribute: string]: unknown
}

/** The event as one row. */
export function ocsfRow(event: OcsfSource, origin: OcsfOrigin): OcsfRow {
  const of = classOf(event.type)
  const { uid, category, name } = CLASSES[of]
  const activity = activityOf(event, of)
  const status = statusOf(event)
  const reason = reasonOf(event)
  const severity = severityOf(event)
  return {
    class_uid: uid,
    class_name: name,
    category_uid: category,
    category_name: CATEGORY_NAMES[category],
    activity_id: activity.id,
    activity_name: activity.name,
    type_uid: uid * 100 + activity.id,
    type_name: `${name}: ${activity.name}`,
    time: Date.parse(event.occurred_at),
    severity_id: SEVERITIES[severity],
    severity: `${severity.slice(0, 1).toUpperCase()}${severity.slice(1)}`,
    ...status,
    ...(reason !== undefined && { status_code: reason, status_detail: reasonsOf(event).join(', ') }),
    message: messageOf(event),
    metadata: metadataOf(event, origin),
    actor: actorOf(event, origin),
    ...PARTS[of](event, origin),
    unmapped: unmappedOf(event),
  }
}

/** Classes by prefix of the event type. The first match counts. */
const CLASS_OF_TYPES: readonly (readonly [prefix: string, of: ClassName])[] = [
  ['action.', 'api_activity'],
  ['approval.', 'api_activity'],
  ['budget.', 'api_activity'],
  ['token.issued', 'authorize_session'],
  ['token.delegated', 'authorize_session'],
  ['token.renewed', 'authorize_session'],
  ['session.', 'authentication'],
]

/** Any other type is a change of a managed entity: a token, an agent, a person, a key, a rule. */
function classOf(type: string): ClassName {
  return CLASS_OF_TYPES.find(([prefix]) => type.startsWith(prefix))?.[1] ?? 'entity_management'
}

const CRUD: readonly (readonly [id: number, name: string, verbs: readonly string[]])[] = [
  [1, 'Create', ['create', 'add', 'book', 'buy', 'issue', 'insert', 'order', 'post', 'publish', 'send']],
  [2, 'Read', ['read', 'fetch', 'get', 'list', 'query', 'search', 'summarise', 'summarize', 'view']],
  [3, 'Update', ['update', 'change', 'edit', 'move', 'patch', 'put', 'rename', 'write']],
  [4, 'Delete', ['delete', 'cancel', 'drop', 'erase', 'remove']],
]

/** What happens to a managed thing, by the last word of the type. */
const CHANGES: Readonly<Record<string, Activity>> = {
  registered: { id: 1, name: 'Create' },
  created: { id: 1, name: 'Create' },
  named: { id: 1, name: 'Create' },
  revoked: { id: 4, name: 'Delete' },
  erased: { id: 4, name: 'Delete' },
  withdrawn: { id: 4, name: 'Delete' },
  removed: { id: 4, name: 'Delete' },
  accepted: { id: 8, name: 'Enable' },
  refused: { id: 9, name: 'Disable' },
  disabled: { id: 9, name: 'Disable' },
  suspended: { id: 12, name: 'Suspend' },
  resumed: { id: 13, name: 'Resume' },
  released: { id: 13, name: 'Resume' },
}

function activityOf(event: OcsfSource, of: ClassName): Activity {
  const last = event.type.split('.').at(-1) ?? ''
  if (of === 'authorize_session') return { id: 1, name: 'Assign Privileges' }
  if (of === 'authentication') return last === 'ended' ? { id: 2, name: 'Logoff' } : { id: 1, name: 'Logon' }
  if (of === 'entity_management')
    return CHANGES[event.data.removed === true ? 'removed' : last] ?? { id: 3, name: 'Update' }
  const action = textOf(event.data.action)
  const known = CRUD.find(([, , verbs]) => action !== undefined && verbs.includes(action.toLowerCase()))
  return known === undefined ? { id: OTHER, name: action ?? last } : { id: known[0], name: known[1] }
}

const SUCCESS = { status_id: 1, status: 'Success' }
const FAILURE = { status_id: 2, status: 'Failure' }

function statusOf({ type, data }: OcsfSource): { readonly status_id: number; readonly status: string } {
  if (type === 'action.denied' || type === 'action.expired') return FAILURE
  const outcome = textOf(data.result) ?? textOf(data.decision)
  if (outcome === undefined || outcome === 'success' || outcome === 'approved') return SUCCESS
  if (outcome === 'error' || outcome === 'failure' || outcome === 'denied') return FAILURE
  return { status_id: OTHER, status: outcome }
}

const SEVERITY_OF_TYPES: Readonly<Record<string, Severity>> = {
  'action.denied': 'low',
  'agent.revoked': 'medium',
  'agent.suspended': 'medium',
  'alert.fired': 'high',
  'budget.exhausted': 'medium',
  'budget.threshold': 'low',
  'deployment.restored': 'high',
  'human.revoked': 'medium',
  'key.withdrawn': 'high',
  'token.revoked': 'medium',
  'token.suspended': 'medium',
}

function severityOf({ type, data }: OcsfSource): Severity {
  if (type === 'action.rated' && data.rating === 'rejected') return 'medium'
  if (type === 'action.completed' && data.exceeded === true) return 'medium'
  return SEVERITY_OF_TYPES[type] ?? 'informational'
}

function reasonsOf({ data }: OcsfSource): string[] {
  if (Array.isArray(data.reasons)) return data.reasons.map(String)
  return [data.reason, data.suspend_code, data.rating].map(textOf).filter((text) => text !== undefined)
}

function reasonOf(event: OcsfSource): string | undefined {
  return reasonsOf(event)[0]
}

function messageOf(event: OcsfSource): string {
  const { data } = event
  const what = [textOf(data.action), textOf(data.resource)].filter((text) => text !== undefined).join(' on ')
  const who = agentOf(event) ?? personOf(event)
  return [
    event.type,
    ...(who === undefined ? [] : [`by ${who}`]),
    ...(what === '' ? [] : [`(${what})`]),
    ...(reasonOf(event) === undefined ? [] : [`: ${reasonsOf(event).join(', ')}`]),
  ].join(' ')
}

function metadataOf(event: OcsfSource, { version }: OcsfOrigin) {
  return {
    version: OCSF_VERSION,
    product: { name: 'Deputy', vendor_name: 'Deputy', ...(version !== undefined && { version }) },
    uid: event.id,
    event_code: event.type,
    sequence: event.log_index,
    original_time: event.occurred_at,
    tenant_uid: event.tenant_id,
    log_name: 'transparency log',
    ...(event.provenance_ref !== undefined && { correlation_uid: event.provenance_ref }),
  }
}

/** OCSF requires at least one of these members, so a row without an agent names the service. */
function actorOf(event: OcsfSource, { issuer }: OcsfOrigin) {
  const person = personOf(event)
  const agent = agentOf(event)
  const token = tokenOf(event)
  return {
    ...(person !== undefined && { user: userOf(person) }),
    ...(agent === undefined ? { app_name: 'Deputy' } : { app_uid: agent, app_name: agent }),
    ...(token !== undefined && { session: { uid: token, issuer } }),
  }
}

/** The attributes that each class needs in addition to the common ones. */
const PARTS: Readonly<Record<ClassName, (event: OcsfSource, origin: OcsfOrigin) => object>> = {
  api_activity(event) {
    const { data, type } = event
    const request = [data.aar_id, data.denial_id, data.approval_id].map(textOf).find((id) => id !== undefined)
    const resource = textOf(data.resource)
    const agent = agentOf(event) ?? 'Deputy'
    return {
      api: {
        operation: textOf(data.action) ?? type,
        service: { name: 'Deputy' },
        ...(request !== undefined && { request: { uid: request } }),
      },
      src_endpoint: { name: agent, uid: agent },
      ...(resource !== undefined && {
        resources: [{ uid: resource, name: resource, namespace: resource.split(':')[0] }],
      }),
    }
  },
  authorize_session(event, { issuer }) {
    const { data } = event
    const expires_s = data.expires_at_s
    const expiration_time =
      typeof expires_s === 'number' ? expires_s * 1000 : Date.parse(textOf(data.expires_at) ?? '')
    return {
      user: userOf(personOf(event) ?? 'unknown'),
      privileges: privilegesOf(data),
      session: {
        uid: tokenOf(event) ?? event.id,
        issuer,
        created_time: Date.parse(event.occurred_at),
        ...(Number.isFinite(expiration_time) && { expiration_time }),
      },
    }
  },
  entity_management: (event) => ({ entity: entityOf(event) }),
  authentication: (event) => ({
    user: userOf(personOf(event) ?? 'unknown'),
    service: { name: 'Deputy' },
    is_remote: true,
  }),
}

/** `action@resource` for everything that the token allows, or its level if the event doesn't contain the scope. */
function privilegesOf(data: Readonly<Record<string, unknown>>): string[] {
  const { actions, resources } = recordOf(data.scope)
  if (!Array.isArray(actions) || !Array.isArray(resources)) return [`level ${textOf(data.assurance_level)}`]
  return actions.flatMap((action) => resources.map((resource) => `${action}@${resource}`))
}

/** The thing that an event is about: the kind is the first word of its type. */
function entityOf(event: OcsfSource) {
  const { type, data } = event
  const kind = type.split('.')[0] ?? type
  const ids: Readonly<Record<string, string | undefined>> = {
    token: tokenOf(event),
    agent: agentOf(event),
    human: personOf(event),
    anchor: personOf(event),
  }
  const named = [ids[kind], data.vouch_id, data.alert_id, data.kid, data.entry_ref, data.webhook_id].map(
    textOf,
  )
  const uid = named.find((id) => id !== undefined) ?? event.id
  const person = kind === 'human' ? { user: userOf(uid) } : {}
  return { uid, name: uid, type: kind, ...person }
}

const USER = { type_id: 1, type: 'User' }

function userOf(uid: string) {
  return { uid, ...USER }
}

function personOf({ data }: OcsfSource): string | undefined {
  return textOf(data.human_ref)
}

function agentOf({ data }: OcsfSource): string | undefined {
  return textOf(data.agent_id)
}

function tokenOf({ data }: OcsfSource): string | undefined {
  return textOf(data.vat_jti) ?? textOf(data.jti) ?? textOf(data.token)
}

/** The event's data, unchanged, because OCSF has no place for some of it. */
function unmappedOf({ data, provenance_ref }: OcsfSource) {
  return { ...data, ...(provenance_ref !== undefined && { provenance_ref }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
