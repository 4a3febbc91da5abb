import type { StoreTables } from '../store/port/store-tables.ts'
import type { Findings } from './findings.ts'

/** Tracks which stored names are in use, with one byte per name. */
export interface NamesInUse {
  mark(name_key: unknown): void
  /** Reports gaps and names that nothing in the log uses. */
  check(): Promise<void>
}

export async function namesInUse(tables: StoreTables, findings: Findings): Promise<NamesInUse> {
  let count = 0
  for await (const row of tables.rows('SELECT count(*) AS count FROM names')) count = Number(row.count)
  const used = new Uint8Array(count + 1)
  used[1] = 1 // "success" exists from the start
  return {
    mark(name_key) {
      if (typeof name_key === 'number' && name_key < used.length) used[name_key] = 1
    },
    async check() {
      let expected = 0
      for await (const { name_key, name } of tables.rows(
        'SELECT name_key, name FROM names ORDER BY name_key',
      )) {
        const key = Number(name_key)
        expected += 1
        if (key !== expected)
          findings.add('names', key, `Name ${expected} is missing: names are numbered without gaps.`)
        expected = key
        if (key === 1 && name !== 'success') findings.add('names', 1, 'Name 1 must be "success".')
        if (used[key] !== 1) findings.add('names', key, `Name ${key} is not used by anything in the log.`)
      }
      if (count === 0) findings.add('names', 1, 'Name 1, "success", is missing.')
    },
  }
}
