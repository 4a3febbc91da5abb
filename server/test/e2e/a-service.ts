import { command } from '@deputize/testing/a-database.ts'
import { type HttpClient, httpClient } from '@deputize/testing/http-client.ts'
import { aProgram } from '@deputize/testing/program.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import { inTurn, someNodes } from '@deputize/testing/some-nodes.ts'
import { isOnPostgres } from '@deputize/testing/test-stores.ts'
import { auditDatabase } from './audit-database.ts'
import { auditStore, logSize } from './audit-store.ts'

/** The number of nodes on a shared database. */
const NODES = Number(process.env.DEPUTY_TEST_NODES ?? 2)

/**
 * The service as users run it: one program on its own files, or several nodes on one database that get calls in turn.
 */
export interface Service {
  readonly client: HttpClient
  /** The URL of one program. */
  readonly url: string
  logSize(): Promise<number>
  /** Checks the whole store. Resolves to the number of leaves. */
  audit(): Promise<number>
}

/** A service of the kind that the environment selects. */
export function aService(scope: TestScope, connections = 64): Promise<Service> {
  return isOnPostgres ? severalNodes(scope) : oneProgram(scope, connections)
}

async function oneProgram(scope: TestScope, connections: number): Promise<Service> {
  const directory = temporaryDirectory(scope)
  const { url } = await aProgram(scope, directory)
  const client = httpClient(scope, url, connections)
  // After a read, the files contain everything acknowledged before it.
  const shown = () => client.get('/v1/vat/aar?limit=1')
  return {
    client,
    url,
    async logSize() {
      await shown()
      return logSize(directory)
    },
    async audit() {
      await shown()
      return auditStore(directory)
    },
  }
}

async function severalNodes(scope: TestScope): Promise<Service> {
  const cluster = await someNodes(scope, NODES)
  const { url, nodes } = cluster
  return {
    client: inTurn(nodes.map(({ client }) => client)),
    url: nodes[0]?.program.url ?? '',
    logSize: async () => Number((await command(url, 'SELECT count(*) AS size FROM leaves'))[0]?.size),
    audit: () => auditDatabase(cluster),
  }
}
