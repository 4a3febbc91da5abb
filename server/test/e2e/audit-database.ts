import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Nodes } from '@deputize/testing/some-nodes.ts'
import { checkDatabase } from '../../src/check/check-data.ts'

/**
 * Fails unless everything in the database of these nodes follows from its log, and the log matches the newest
 * checkpoint that any of them has signed. The nodes may keep writing. Resolves to the number of leaves.
 */
export async function auditDatabase(
  { env, nodes }: Pick<Nodes, 'env' | 'nodes'>,
  url: string = env.DEPUTY_DATABASE_URL,
): Promise<number> {
  const files = nodes.map(({ directory }) => join(directory, 'checkpoint'))
  const [checkpoint_file] = files.toSorted((one, other) => sizeIn(other) - sizeIn(one))
  assert.ok(checkpoint_file !== undefined, 'there are no nodes')
  const report = await checkDatabase({
    url,
    data_dir: join(checkpoint_file, '..'),
    master_key_file: env.DEPUTY_MASTER_KEY_FILE,
    checkpoint_file,
  })
  assert.deepEqual(report.faults.slice(0, 20), [])
  return report.leaves
}

/** The number of leaves that a checkpoint covers, from its second line. */
function sizeIn(checkpoint_file: string): number {
  return Number(readFileSync(checkpoint_file, 'utf8').split('\n')[1])
}
