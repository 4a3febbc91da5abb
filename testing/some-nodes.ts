import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aMigratedDatabase } from './a-database.ts'
import { type HttpClient, httpClient } from './http-client.ts'
import { aProgram, type Program } from './program.ts'
import { type TestScope, temporaryDirectory } from './scope.ts'

const CALLERS = 64

export interface Node {
  readonly program: Program
  readonly client: HttpClient
  readonly directory: string
}

export interface Nodes {
  readonly url: string
  readonly env: Readonly<Record<'DEPUTY_DATABASE_URL' | 'DEPUTY_MASTER_KEY_FILE', string>>
  readonly nodes: readonly Node[]
  /** Starts another node, with a new directory or that of a stopped node. */
  aNode(directory?: string, more?: Record<string, string>): Promise<Node>
}

/** Several nodes on one database with the same master key, each with its own directory. */
export async function someNodes(
  scope: TestScope,
  count: number,
  { url, env: more = {} }: { readonly url?: string; readonly env?: Record<string, string> } = {},
): Promise<Nodes> {
  const database = url ?? (await aMigratedDatabase(scope))
  const env = { DEPUTY_DATABASE_URL: database, DEPUTY_MASTER_KEY_FILE: aMasterKey(scope), ...more }

  async function aNode(directory = temporaryDirectory(scope), changes = {}): Promise<Node> {
    const program = await aProgram(scope, directory, { ...env, ...changes })
    return { program, client: httpClient(scope, program.url, CALLERS), directory }
  }
  const nodes = await Promise.all(Array.from({ length: count }, () => aNode()))
  return { url: database, env, nodes, aNode }
}

function aMasterKey(scope: TestScope): string {
  const path = join(temporaryDirectory(scope), 'master.key')
  writeFileSync(path, randomBytes(32).toString('base64url'), { mode: 0o600 })
  return path
}

/** Distributes calls over several clients in turn, like a load balancer. */
export function inTurn(clients: readonly HttpClient[]): HttpClient {
  let turn = 0
  const next = (): HttpClient => {
    turn += 1
    const client = clients[turn % clients.length]
    if (client === undefined) throw new Error('no clients were given')
    return client
  }
  return {
    get: (path, headers) => next().get(path, headers),
    post: (path, body, headers) => next().post(path, body, headers),
    delete: (path, headers) => next().delete(path, headers),
    close() {
      for (const client of clients) client.close()
    },
  }
}
