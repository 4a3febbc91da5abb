import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { freePort } from '../cluster/postgres.ts'
import type { Program } from '../server/test/program.ts'
import { authorizeCase, type Case, prepare } from './cases.ts'
import { alternate, type Figures, type Settings } from './compare.ts'
import { startGenerator } from './load.ts'
import { report } from './report.ts'
import { startDeputy, withDirectory } from './servers.ts'

const AGENTS = 256
const AUDIENCE = 'https://calendar.example'
/** No run here asks faster than this, so no proof is sent twice. */
const MOST_PER_S = 15_000

/** A token in keyed mode, and the key that it is bound to. */
interface BoundToken {
  readonly jti: string
  readonly compact_jwt: string
  readonly private_key: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

/** What it costs to prove who is calling: authorize in keyed mode beside authorize in open mode. */
export async function keyedBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const open = await startDeputy(directory)
    const port = await freePort()
    const keyed = await startDeputy(directory, {
      data: 'keyed',
      env: { PORT: String(port), DEPUTY_ACCESS: 'keyed', DEPUTY_LOG_LEVEL: 'error' },
    })
    try {
      const [setup_secret] = /dsu_[\w-]+/.exec(keyed.output()) ?? []
      const operator = (await call(keyed.url, '/v1/vat/setup', { setup_secret })).key
      const key = async (role: string, more: object = {}) =>
        (await call(keyed.url, '/v1/vat/keys', { name: role, role, ...more }, operator)).key
      const tokens = await boundTokens(keyed.url, await key('developer'))
      const server_key = await key('resource_server', { audience: AUDIENCE })
      await new Promise((resolve) => setTimeout(resolve, 6_000)) // proofs of the first seconds would need a nonce
      const figures = await alternate(
        generator,
        by(open, authorizeCase('authorize, open mode', open.url, await prepare(open.url))),
        [
          by(keyed, apiKeyCase(keyed.url, tokens, server_key)),
          by(keyed, proofCase(keyed.url, tokens, settings.seconds)),
        ],
        settings,
      )
      report('keyed', settings, { figures }, tableOf(figures))
    } finally {
      generator.stop()
      for (const program of [open, keyed]) await program.kill()
    }
  })
}

function by({ process }: Program, one: Case): Case {
  return { ...one, processes: [process.pid ?? 0] }
}

async function boundTokens(url: string, developer: string): Promise<BoundToken[]> {
  return Promise.all(
    Array.from({ length: AGENTS }, async (_, index) => {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519')
      const jwk = { ...publicKey.export({ format: 'jwk' }) }
      const { jti, compact_jwt } = await call(
        url,
        '/v1/vat/issue/l1',
        {
          developer_email: `dev${index % 16}@example.com`,
          agent_id: `bench-agent-${index}`,
          resources: ['calendar:events'],
          actions: ['read'],
          audience: AUDIENCE,
          agent_jwk: jwk,
        },
        developer,
      )
      return { jti, compact_jwt, private_key: privateKey, jwk }
    }),
  )
}

/** A service that agents call asks with its own key, and shows the token that the agent showed to it. */
function apiKeyCase(url: string, tokens: readonly BoundToken[], key: string): Case {
  return {
    name: 'authorize, keyed mode, API key',
    url,
    expects: '"authorized":true',
    requests: tokens.map(({ jti, compact_jwt }) =>
      authorizeRequest(url, jti, [`Authorization: Bearer ${key}`, `Deputy-Token: ${compact_jwt}`]),
    ),
  }
}

/** Each agent asks with its own token and a proof that was never used. */
function proofCase(url: string, tokens: readonly BoundToken[], seconds: number): Case {
  return {
    name: 'authorize, keyed mode, DPoP',
    url,
    expects: '"authorized":true',
    requests: () => {
      const iat = Math.floor(Date.now() / 1000)
      return Array.from({ length: Math.ceil(seconds * MOST_PER_S) }, (_, index) => {
        const token = tokens[index % tokens.length]
        if (token === undefined) throw new Error('there are no tokens')
        return authorizeRequest(url, token.jti, [
          `Authorization: DPoP ${token.compact_jwt}`,
          `DPoP: ${proofOf(token, `${url}/v1/vat/authorize`, iat)}`,
        ])
      })
    },
  }
}

function proofOf({ compact_jwt, private_key, jwk }: BoundToken, htu: string, iat: number): string {
  const ath = createHash('sha256').update(compact_jwt).digest('base64url')
  const parts = [
    { typ: 'dpop+jwt', alg: 'EdDSA', jwk },
    { jti: randomUUID(), htm: 'POST', htu, iat, ath },
  ]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign(null, Buffer.from(text), private_key).toString('base64url')}`
}

function authorizeRequest(url: string, vat_jti: string, credentials: readonly string[]): string {
  const body = JSON.stringify({ vat_jti, action: 'read', resource: 'calendar:events' })
  const lines = [
    'POST /v1/vat/authorize HTTP/1.1',
    `Host: ${new URL(url).host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...credentials,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

// biome-ignore lint/suspicious/noExplicitAny: the bench reads few members, and a wrong one fails it at once
async function call(url: string, path: string, body: unknown, key?: string): Promise<any> {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

function tableOf(figures: readonly Figures[]): string[][] {
  return [
    ['case', 'requests/s', 'p50 ms', 'p99 ms', 'of open mode', 'least to most', 'processor us', 'target'],
    ...figures.map((one, index) => [
      one.name,
      one.requests_per_s.toFixed(0),
      one.p50_ms.toFixed(1),
      one.p99_ms.toFixed(1),
      one.of_floor.median.toFixed(2),
      `${one.of_floor.least.toFixed(2)} to ${one.of_floor.most.toFixed(2)}`,
      one.processor_us.toFixed(0),
      TARGETS[index] ?? '',
    ]),
  ]
}

const TARGETS = ['', '0.9', '0.5']
