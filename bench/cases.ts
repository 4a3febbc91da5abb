import type { Program } from '@deputize/testing/program.ts'
import { newIdempotencyKey } from '../sdk/node/src/calls/idempotency-key.ts'
import type { Databases } from './databases.ts'
import type { Load } from './generator.ts'

/** A load: one kind of request, sent repeatedly. */
export interface Case extends Pick<Load, 'url' | 'others' | 'expects' | 'follow_up' | 'rate'> {
  readonly name: string
  /** Whole requests, sent in turn. A function if each may be sent only once: it makes new ones for each measurement. */
  readonly requests: Load['requests'] | (() => Load['requests'])
  /** Number of calls that one request and its follow-up count as. */
  readonly calls?: number
  /** The processes that do the work. Their processor time and that of their children is measured. */
  readonly processes?: readonly number[]
  /** What happens around each measurement of the case. */
  readonly during?: { begin(): Promise<void>; end(answered: number): Promise<void> }
}

export function requestsOf(requests: Case['requests']): Load['requests'] {
  return typeof requests === 'function' ? requests() : requests
}

/** A token of a prepared deployment, with the names that find its actions. */
export interface BenchIdentity {
  readonly jti: string
  readonly provenance_ref: string
  readonly agent_id: string
  /** Its descendants, one for each depth of delegation. */
  readonly below: readonly string[]
}

const IDENTITIES = 256
/** Fewer than the connections that the service accepts from one address. */
const AT_ONCE = 64
const HUMANS = 16
const DEEPEST = 5
const REQUESTS = 1024
/** More than one measurement of two seconds sends, because a repeated key gets its stored answer. */
const KEYED_REQUESTS = 60_000
/** About the number of requests sent in a millisecond. */
const KEYS_PER_MS = 8
const ACTIONS = ['read', 'write']
const RESOURCES = ['calendar:events', 'email:inbox', 'crm:contacts']
const RESULTS = ['success', 'success', 'success', 'success', 'success', 'success', 'partial', 'error']
const RESULT_HASH = `sha256:${'9f86d081'.repeat(8)}`

/** Issues the tokens that the cases use: 256 agents for 16 people, each agent with its own workflow. */
export async function prepareIdentities(url: string): Promise<BenchIdentity[]> {
  const identities: BenchIdentity[] = []
  while (identities.length < IDENTITIES)
    identities.push(
      ...(await Promise.all(
        Array.from({ length: AT_ONCE }, (_, index) => identity(url, identities.length + index)),
      )),
    )
  await fill(url, identities, 1000)
  return identities
}

async function identity(url: string, index: number): Promise<BenchIdentity> {
  const { jti, provenance_ref } = await post(url, '/v1/vat/issue/l1', issueBody(index))
  return { jti, provenance_ref, agent_id: agentId(index), below: await delegateDown(url, jti) }
}

/** A root with a budget and 256 tokens delegated from it: every action is charged to the same row. */
export async function prepareFamily(url: string): Promise<BenchIdentity[]> {
  const { jti: vat_jti, provenance_ref } = await post(url, '/v1/vat/issue/l1', issueBody(0))
  return Promise.all(
    Array.from({ length: IDENTITIES }, async (_, index) => {
      const agent_id = agentId(index)
      const { jti } = await post(url, '/v1/vat/delegate', { vat_jti, agent_id, actions: ACTIONS })
      return { jti, provenance_ref, agent_id, below: [] }
    }),
  )
}

async function delegateDown(url: string, root: string): Promise<string[]> {
  const below: string[] = []
  for (let depth = 1; depth <= DEEPEST; depth++) {
    const parent = below.at(-1) ?? root
    const actions = [...ACTIONS, 'delegate']
    below.push(
      (await post(url, '/v1/vat/delegate', { vat_jti: parent, agent_id: `bench-sub-${depth}`, actions })).jti,
    )
  }
  return below
}

/** The same identities, each acting through its descendant at `depth`. */
function atDepth(identities: readonly BenchIdentity[], depth: number): BenchIdentity[] {
  return identities.map((identity) => ({ ...identity, jti: identity.below[depth - 1] ?? identity.jti }))
}

/** Records `count` actions, at most 1,000, through the batch endpoint. */
export async function fill(url: string, identities: readonly BenchIdentity[], count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => recordBody(identities, index))
  const answer = await post(url, '/v1/vat/record/batch', { items })
  const refused = answer.items.find((item: { status: number }) => item.status !== 200)
  if (refused !== undefined) throw new Error(`an item was refused: ${JSON.stringify(refused)}`)
}

export function floorCase(url: string, name = 'floor'): Case {
  const identities = Array.from({ length: IDENTITIES }, (_, index) => ({
    jti: `vat_root_${String(index).padStart(36, '0')}`,
    provenance_ref: '',
    agent_id: '',
    below: [],
  }))
  return recordCase(name, url, identities)
}

/** The operations that have to be fast. */
export function deputyCases(url: string, identities: readonly BenchIdentity[]): Case[] {
  return [
    recordCase('record/action', url, identities),
    recordCase('record/action, one workflow', url, identities.slice(0, 1)),
    keyedRecordCase(url, identities),
    authorizeCase('authorize', url, identities),
    authorizeCase('authorize, 1 delegation deep', url, atDepth(identities, 1)),
    authorizeCase(`authorize, ${DEEPEST} delegations deep`, url, atDepth(identities, DEEPEST)),
    completeCase(url, identities),
    issueCase(url),
    delegateCase(url, identities),
    ...readCases(url, identities),
    { name: 'health', url, expects: '"status":', requests: [get(url, '/healthz')] },
  ]
}

export function issueCase(url: string): Case {
  return {
    name: 'issue/l1',
    url,
    expects: '"jti":"vat_root_',
    requests: posts(url, '/v1/vat/issue/l1', issueBody),
  }
}

/** Delegates from one token after another, with narrower rights. */
export function delegateCase(url: string, identities: readonly BenchIdentity[]): Case {
  return {
    name: 'delegate',
    url,
    expects: '"jti":"vat_sub_',
    requests: posts(url, '/v1/vat/delegate', (index) => ({
      vat_jti: pick(identities, index).jti,
      agent_id: agentId(index + 1),
      actions: ACTIONS,
    })),
  }
}

/** `authorize`, then `complete` for the record that it opened. Both count. */
export function completeCase(url: string, identities: readonly BenchIdentity[]): Case {
  const completion = JSON.stringify({ result: 'success', result_hash: RESULT_HASH, spend_usd: 0.01 })
  return {
    ...authorizeCase('authorize, then complete', url, identities),
    calls: 2,
    follow_up: {
      finds: '"aar_id":"(aar_[^"]+)"',
      request: requestText('POST', url, '/v1/vat/aar/{}/complete', [], completion),
      expects: '"state":"completed"',
    },
  }
}

/** A signed token of an OAuth server, for a client with a secret. */
export function clientTokenCase(url: string): Case {
  const body = 'grant_type=client_credentials&resource=urn%3Abench&scope=read'
  const secret = Buffer.from('bench:bench-secret').toString('base64')
  const head = [
    'POST /token HTTP/1.1',
    `Host: ${new URL(url).host}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    `Authorization: Basic ${secret}`,
  ]
  return {
    name: 'peer: oidc-provider, a signed token, in memory',
    url,
    expects: '"access_token":"ey',
    requests: [`${head.join('\r\n')}\r\n\r\n${body}`],
  }
}

export function authorizeCase(name: string, url: string, identities: readonly BenchIdentity[]): Case {
  return {
    name,
    url,
    expects: '"authorized":true',
    requests: posts(url, '/v1/vat/authorize', (index) => {
      const { result: _, result_hash: __, ...body } = recordBody(identities, index)
      return body
    }),
  }
}

export function recordCase(name: string, url: string, identities: readonly BenchIdentity[]): Case {
  return {
    name,
    url,
    expects: '"recorded":true',
    requests: posts(url, '/v1/vat/record/action', (index) => recordBody(identities, index)),
  }
}

/** Like the SDKs: every request has its own key, made about when it is sent, so that it can be repeated safely. */
function keyedRecordCase(url: string, identities: readonly BenchIdentity[]): Case {
  return {
    ...recordCase('record/action, Idempotency-Key', url, identities),
    requests() {
      const now_ms = Date.now()
      return posts(url, '/v1/vat/record/action', (index) => recordBody(identities, index), {
        count: KEYED_REQUESTS,
        headers: (index) => [
          `Idempotency-Key: ${newIdempotencyKey(now_ms + Math.floor(index / KEYS_PER_MS))}`,
        ],
      })
    },
  }
}

export function readCases(url: string, identities: readonly BenchIdentity[]): Case[] {
  return [
    {
      name: 'provenance summary',
      url,
      expects: '"total_records":',
      requests: identities.map(({ provenance_ref }) => get(url, `/v1/vat/aar/provenance/${provenance_ref}`)),
    },
    {
      name: 'reputation',
      url,
      expects: '"combined_reputation":',
      requests: identities.map(({ agent_id }) => get(url, `/v1/vat/reputation/${agent_id}`)),
    },
  ]
}

export function listCase(url: string, identities: readonly BenchIdentity[]): Case {
  return {
    name: 'list page',
    url,
    expects: '"data":[{',
    requests: identities.map(({ agent_id }) => get(url, `/v1/vat/aar?limit=50&agent_id=${agent_id}`)),
  }
}

function issueBody(index: number) {
  return {
    developer_email: `dev${index % HUMANS}@example.com`,
    agent_id: agentId(index),
    resources: RESOURCES,
    actions: [...ACTIONS, 'delegate'],
    constraints: { max_spend_usd: 1_000_000 },
  }
}

function agentId(index: number): string {
  return `bench-agent-${index % IDENTITIES}`
}

function recordBody(identities: readonly BenchIdentity[], index: number) {
  return {
    vat_jti: pick(identities, index).jti,
    action: pick(ACTIONS, index >> 8),
    resource: pick(RESOURCES, index),
    result: pick(RESULTS, index >> 3),
    result_hash: RESULT_HASH,
    spend_usd: 0.01,
  }
}

/** Item number `index`, starting over at the end of the list. */
export function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length]
  if (item === undefined) throw new Error('the list is empty')
  return item
}

function posts(
  url: string,
  path: string,
  bodyOf: (index: number) => unknown,
  {
    count = REQUESTS,
    headers = () => [],
  }: { readonly count?: number; readonly headers?: (index: number) => readonly string[] } = {},
): string[] {
  return Array.from({ length: count }, (_, index) =>
    requestText('POST', url, path, headers(index), JSON.stringify(bodyOf(index))),
  )
}

export function get(url: string, path: string): string {
  return requestText('GET', url, path)
}

/** A whole HTTP request as text, ready to send. */
export function requestText(
  method: string,
  url: string,
  path: string,
  headers: readonly string[] = [],
  body?: string,
): string {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    ...(body === undefined
      ? []
      : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`
}

/** The case, with the processor time of this program. */
export function processCase({ process }: Program, one: Case): Case {
  return { ...one, processes: [process.pid ?? 0] }
}

/** The case, with the processor time of this program and of the database that it uses. */
export function databaseCase(database: Pick<Databases, 'process'>, program: Program, one: Case): Case {
  return { ...one, processes: [database.process, program.process.pid ?? 0] }
}

// biome-ignore lint/suspicious/noExplicitAny: the bench reads few members, and a wrong one fails it at once
export async function post(url: string, path: string, body: unknown): Promise<any> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return response.json()
}
