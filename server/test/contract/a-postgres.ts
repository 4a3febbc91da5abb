import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '@deputize/testing/postgres.ts'
import { type TestScope, temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Pool } from 'pg'
import { openConnection, primaryPool } from '../../src/store/postgres/connect.ts'
import { migrate } from '../../src/store/postgres/migrate.ts'
import type { Row } from '../../src/store/values.ts'

/** Tests don't need durable commits. */
const FAST = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', shared_buffers: '64MB' }

/** A separate PostgreSQL server. Each requested database has the schema. */
export interface TestPostgres {
  readonly server: Postgres
  /** The URL of a new database. */
  database(): Promise<string>
}

export async function aPostgres(scope: TestScope): Promise<TestPostgres> {
  const directory = temporaryDirectory(scope)
  chmodSync(directory, 0o755) // the server runs as another user if the test runs as root
  const server = await startPostgres({ directory: join(directory, 'postgres'), settings: FAST })
  scope.after(() => server.stop())
  await look(server.url(), 'CREATE DATABASE pattern')
  const client = await openConnection(server.url('pattern'), 'test', () => {})
  await migrate(client)
  await client.end()
  let databases = 0
  return {
    server,
    async database() {
      databases += 1
      const name = `test_${databases}`
      await look(server.url(), `CREATE DATABASE ${name} TEMPLATE pattern STRATEGY FILE_COPY`)
      return server.url(name)
    },
  }
}

/** Queries a database directly, without a store. */
export async function look(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = await openConnection(url, 'test', () => {})
  try {
    return (await client.query<Row>(sql, values)).rows
  } finally {
    await client.end()
  }
}

export const READ_CONNECTIONS = 10

export function aPool(url: string): Pool {
  return primaryPool(url, 'test', READ_CONNECTIONS)
}
