/** A program that uses the package. Its result must be the same in every runtime. */
import {
  type AgentKey,
  AuthorityDenied,
  type Deputy,
  type DeputyErrorCode,
  deputy,
  type IssueL1Input,
  importAgentKey,
  isDeputyError,
  newAgentKey,
  ReceiptRefused,
  resultHash,
  TokenRefused,
  tokenVerifier,
  type VerifierOptions,
  verifyReceipt,
  verifyToken,
} from '@deputize/sdk'

export interface Settings {
  /** Serves the shared vectors. */
  readonly vectors_url: string
  /** The service in open mode. */
  readonly url: string
  /** The service in keyed mode, and an API key of a developer. */
  readonly keyed: { readonly url: string; readonly key: string }
  /** Accepts connections and never responds. */
  readonly silent_url: string
  /** Redirects every request. */
  readonly moved_url: string
  /** Refuses connections. */
  readonly closed_url: string
}

const REQUEST: IssueL1Input = {
  developer_email: 'dev@example.com',
  agent_id: 'runtime-bot',
  resources: ['calendar:events'],
  actions: ['read', 'write', 'delegate'],
}

export async function consume(settings: Settings) {
  const client = deputy({ url: settings.url })
  return {
    verdicts: await judge(settings.vectors_url),
    acting: await act(client),
    causes: await findCauses(settings),
    pages: await turnPages(client),
    repeated: await repeat(settings.url),
    followed: await follow(settings.url),
    verified: await verify(client),
    receipt: await checkReceipt(client),
    proofs: { EdDSA: await prove(settings, 'EdDSA'), ES256: await prove(settings, 'ES256') },
    default_key: (await newAgentKey()).alg,
    aborted: await abortLongPoll(client),
    failures: await fail(settings),
  }
}

async function act(client: Deputy) {
  const token = await client.issueL1(REQUEST)
  const me = client.withAuthority(token)
  let aar_id = ''
  const found = await me.run('read', 'calendar:events', async (allowed) => {
    aar_id = allowed.aar_id
    return ['stand-up', 'lunch']
  })
  const record = await client.getRecord({ id: aar_id })
  const helper = await me.delegate({ agent_id: 'helper', actions: ['write'] })
  const written = await helper.run('write', 'calendar:events', () => new Uint8Array([1, 2, 3]))
  const thrown = await reasonOf(
    me.run('write', 'calendar:events', () => {
      throw new RangeError('the calendar is full')
    }),
  )
  return {
    found,
    record: [record.state, record.result, record.result_hash === resultHash(found)],
    written: Array.from(written),
    thrown: thrown instanceof RangeError,
    denied: deniedFor(await reasonOf(me.run('delete', 'calendar:events', () => 'never'))),
    widening: codeOf(await reasonOf(me.delegate({ agent_id: 'x', actions: ['delete'] }))),
  }
}

/** Whether a nested action has its cause, given or found automatically. */
export async function findCauses({ url }: Pick<Settings, 'url'>) {
  const client = deputy({ url })
  const token = await client.issueL1(REQUEST)
  const me = client.withAuthority(token)
  const ids: Record<string, string> = {}
  await me.run('read', 'calendar:events', async (outer) => {
    ids.outer = outer.aar_id
    await new Promise((resolve) => setTimeout(resolve, 5))
    await Promise.all([
      me.run('write', 'calendar:events', ({ aar_id }) => {
        ids.inner = aar_id
      }),
      me.run(
        'write',
        'calendar:events',
        ({ aar_id }) => {
          ids.told = aar_id
        },
        { parent: outer },
      ),
    ])
  })
  const parentOf = async (id = '') => (await client.getRecord({ id })).parent_aar_id
  return {
    found: (await parentOf(ids.inner)) === ids.outer,
    told: (await parentOf(ids.told)) === ids.outer,
  }
}

async function turnPages(client: Deputy) {
  const { jti, provenance_ref } = await client.issueL1(REQUEST)
  const action = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
  for (let each = 0; each < 5; each += 1) await client.recordAction(action)
  const ids = new Set<string>()
  for await (const { aar_id } of client.listRecords.all({ provenance_ref, limit: 2 })) ids.add(aar_id)
  const download = await client.exportWorkflow({ ref: provenance_ref, format: 'ndjson' })
  const exported: unknown[] = []
  for await (const line of download.lines()) exported.push(JSON.parse(line))
  return { entries: ids.size, lines: exported.length }
}

/** Loses a response, so that the call is repeated: it counts once. */
async function repeat(url: string) {
  let lost = 0
  const client = deputy({
    url,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      if (init?.method !== 'POST' || lost > 0) return response
      lost += 1
      await response.body?.cancel()
      throw new TypeError('the line was cut')
    },
  })
  const { jti, provenance_ref: ref } = await deputy({ url }).issueL1(REQUEST)
  const action = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
  await client.recordAction(action)
  const idempotency_key = crypto.randomUUID()
  const first = await client.recordAction(action, { idempotency_key })
  const again = await client.recordAction(action, { idempotency_key })
  const { total_records } = await client.getProvenance({ ref })
  return { lost, total_records, is_same: first.aar_id === again.aar_id }
}

/** Follows events over a connection that is cut once: none is missing or repeated. */
async function follow(url: string) {
  let connections = 0
  const client = deputy({
    url,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      connections += 1
      return connections > 1 ? response : new Response(cutAfterFirstEvent(response), response)
    },
  })
  const plain = deputy({ url })
  const { jti } = await plain.issueL1(REQUEST)
  const action = { vat_jti: jti, action: 'read', resource: 'calendar:events', result: 'success' }
  const told: string[] = []
  for await (const { type } of client.events({ after: -1, vat_jti: jti })) {
    told.push(type)
    if (told.length === 4) break
    await plain.recordAction(action)
  }
  return { told, is_cut: connections > 1 }
}

function cutAfterFirstEvent({ body }: Response): ReadableStream<Uint8Array> | null {
  const reader = body?.getReader()
  if (reader === undefined) return null
  const decoder = new TextDecoder()
  let text = ''
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await reader.read()
      if (value !== undefined) controller.enqueue(value)
      text += decoder.decode(value, { stream: true })
      if (!done && !text.includes('data: ')) return
      await reader.cancel()
      controller.close()
    },
  })
}

async function verify(client: Deputy) {
  const { url } = client
  const { compact_jwt, jti } = await client.issueL1(REQUEST)
  const { agent_id, standing } = await verifyToken(compact_jwt, { url })
  const forged = `${compact_jwt.slice(0, -8)}AAAAAAAA`
  const fresh = tokenVerifier({ url, fresh_s: 0 })
  const before = await fresh.verify(compact_jwt)
  await client.revokeToken({ vat_jti: jti })
  return {
    agent_id,
    has_standing: standing !== undefined && before.standing !== undefined,
    forged: refusedFor(await reasonOf(verifyToken(forged, { url }))),
    revoked: refusedFor(await reasonOf(fresh.verify(compact_jwt))),
  }
}

async function checkReceipt(client: Deputy) {
  const me = client.withAuthority(await client.issueL1(REQUEST))
  const id = await me.run('read', 'calendar:events', ({ aar_id }) => aar_id)
  const { log } = await client.getDeployment()
  const receipt = await client.getReceipt({ id })
  const sound = await verifyReceipt(receipt, { log: log.vkey })
  const changed = JSON.parse(JSON.stringify(receipt).replaceAll(id, `${id.slice(0, -1)}_`))
  const refused = await reasonOf(verifyReceipt(changed, { log: log.vkey }))
  return {
    entries: sound.entries.map(({ kind }) => kind),
    pinned: sound.pinned,
    refused: refused instanceof ReceiptRefused,
  }
}

/** Keyed mode: a token bound to a key, and a new proof for every call. */
async function prove({ keyed }: Settings, alg: AgentKey['alg']) {
  const developer = deputy(keyed)
  const agent_key = await newAgentKey({ alg })
  const token = await developer.issueL1({ ...REQUEST, agent_jwk: agent_key.jwk })
  const { url } = keyed
  const me = deputy({ url }).withAuthority(token, {
    agent_key: await importAgentKey(await agent_key.exportJwk()),
  })
  const acted = await me.run('read', 'calendar:events', () => 'seen')
  const child = await me.delegate({ agent_id: 'helper', agent_key: await newAgentKey({ alg }) })
  const passed_on = await child.run('write', 'calendar:events', () => 'done')
  const stolen = deputy({ url }).withAuthority(token)
  const hidden = await newAgentKey({ alg, extractable: false })
  return {
    acted,
    passed_on,
    bound: token.claims.cnf?.jkt === agent_key.jkt,
    stolen: codeOf(await reasonOf(stolen.run('read', 'calendar:events', () => 'never'))),
    is_kept: (await reasonOf(hidden.exportJwk())) !== undefined,
  }
}

/** Stops waiting for an approval request. */
async function abortLongPoll(client: Deputy) {
  const token = await client.issueL1({ ...REQUEST, constraints: { require_approval: {} } })
  const me = client.withAuthority(token)
  const began_ms = Date.now()
  const controller = new AbortController()
  const reason = new Error('enough')
  const asked = reasonOf(
    me.run('read', 'calendar:events', () => 'never', { wait_for_approval: true, signal: controller.signal }),
  )
  setTimeout(() => controller.abort(reason), 300)
  return { with_reason: (await asked) === reason, soon: Date.now() - began_ms < 20_000 }
}

async function fail({ silent_url, moved_url, closed_url }: Settings) {
  const health = (url: string) =>
    reasonOf(deputy({ url, retries: 0, timeout_ms: 500 }).getHealth()).then(codeOf)
  return {
    silent: await health(silent_url),
    moved: await health(moved_url),
    closed: await health(closed_url),
  }
}

export interface Vectors {
  readonly tokens: readonly string[]
  readonly options: FixedOptions
  readonly now_s: number
}
type FixedOptions = Extract<VerifierOptions, { readonly jwks: object }>

/** Verifies every token of the shared vectors. */
async function judge(vectors_url: string) {
  const response = await fetch(vectors_url)
  const { tokens, options, now_s } = (await response.json()) as Vectors // the test serves them
  const verifier = tokenVerifier({ ...options, clock: () => now_s * 1000 })
  return Promise.all(
    tokens.map((jwt) =>
      verifier.verify(jwt).then(
        ({ claims }) => claims,
        (error: unknown) => refusedFor(error) ?? String(error),
      ),
    ),
  )
}

/** The thrown error, or undefined. */
function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

const codeOf = (error: unknown): DeputyErrorCode | undefined =>
  isDeputyError(error) ? error.code : undefined
const refusedFor = (error: unknown) => (error instanceof TokenRefused ? error.code : undefined)
const deniedFor = (error: unknown) => (error instanceof AuthorityDenied ? error.reasons : undefined)
