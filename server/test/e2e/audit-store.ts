import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { checkData } from '../../src/check/check-data.ts'

type Row = Record<string, unknown>

/** Fails unless everything in the data directory follows from its log. Resolves to the number of leaves. */
export async function auditStore(directory: string): Promise<number> {
  const report = await checkData({ data_dir: directory, checkpoint_file: join(directory, 'checkpoint') })
  assert.deepEqual(report.faults.slice(0, 20), [])
  return report.leaves
}

/** The number of leaves in the log. */
export function logSize(directory: string): number {
  return withStore(directory, (all) => Number(all('SELECT count(*) AS size FROM leaves')[0]?.size))
}

/** The leaf texts, oldest first. */
export function leafTexts(directory: string): string[] {
  return withStore(directory, (all) =>
    all('SELECT leaf FROM leaves ORDER BY log_index').map(({ leaf }) => String(leaf)),
  )
}

/** The rows of a query, read from outside the program. */
export function storeRows(directory: string, sql: string): Row[] {
  return withStore(directory, (all) => all(sql))
}

function withStore<T>(directory: string, use: (all: (sql: string) => Row[]) => T): T {
  const db = new DatabaseSync(join(directory, 'deputy.db'), { readOnly: true, timeout: 60_000 })
  try {
    db.exec('BEGIN') // one snapshot, regardless of what the program writes meanwhile
    return use((sql) => db.prepare(sql).all())
  } finally {
    db.close()
  }
}
