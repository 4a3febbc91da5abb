import type { TestScope } from '@deputize/testing/scope.ts'
import { TEST_VAULT_KEY } from '@deputize/testing/test-vault-key.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { type PostgresOptions, postgresWriteStore } from '../../src/store/postgres/write/write-store.ts'

/** The writing side of a node on this database, until the scope ends. */
export async function aPostgresWriter(
  scope: TestScope,
  url: string,
  writer_id: string,
  more: Pick<PostgresOptions, 'defers_sums' | 'remembered'> & { readonly clock?: () => number } = {},
): Promise<WriteStore> {
  const options = { url, instance: 'test', vault_key: TEST_VAULT_KEY, clock: Date.now, allow_unsafe: true }
  const node = await postgresWriteStore({ ...options, writer_id, ...more })
  scope.after(() => node.close())
  return node
}
