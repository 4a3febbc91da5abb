import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { freePort } from '@deputize/testing/free-port.ts'
import type { Program } from '@deputize/testing/program.ts'
import { startDeputyProgram } from './servers.ts'

const AGENTS = 256
export const AUDIENCE = 'https://calendar.example'

/** A token in keyed mode and the key it is bound to. */
export interface BoundToken {
  readonly jti: string
  readonly compact_jwt: string
  readonly private_key: KeyObject
  readonly jwk: Readonly<Record<string, unknown>>
}

/** A running service in keyed mode, after set-up. */
export interface KeyedService {
  readonly program: Program
  readonly url: string
  /** For 256 agents, each with its own key. */
  readonly tokens: readonly BoundToken[]
  /** The API key of a resource server. */
  readonly server_key: string
}

export async function startKeyed(directory: string): Promise<KeyedService> {
  const port = await freePort()
  const program = await startDeputyProgram(directory, {
    data: 'keyed',
    env: { PORT: String(port), DEPUTY_ACCESS: 'keyed', DEPUTY_LOG_LEVEL: 'error' },
  })
  const { url } = program
  const [setup_secret] = /dsu_[\w-]+/.exec(program.output()) ?? []
  const operator = (await call(url, '/v1/vat/setup', { setup_secret })).key
  const key = async (role: string, more: object = {}) =>
    (await call(url, '/v1/vat/keys', { name: role, role, ...more }, operator)).key
  return {
    program,
    url,
    tokens: await boundTokens(url, await key('developer')),
    server_key: await key('resource_server', { audience: AUDIENCE }),
  }
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

/** A new proof for a request with this method to this URL. */
export function dpopProofOf(
  { compact_jwt, private_key, jwk }: BoundToken,
  { htm, htu, iat }: { readonly htm: string; readonly htu: string; readonly iat: number },
): string {
  const ath = createHash('sha256').update(compact_jwt).digest('base64url')
  const parts = [
    { typ: 'dpop+jwt', alg: 'EdDSA', jwk },
    { jti: randomUUID(), htm, htu, iat, ath },
  ]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${sign(null, Buffer.from(text), private_key).toString('base64url')}`
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
