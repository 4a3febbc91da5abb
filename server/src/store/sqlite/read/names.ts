import type { DatabaseSync } from 'node:sqlite'
import { text } from '../../values.ts'

const REMEMBERED_NAMES = 50_000

/** Actions, resources and results by key. Names never change and are cached. */
export type NameReader = (name_key: number) => string

export function nameReader(db: DatabaseSync): NameReader {
  const find = db.prepare('SELECT name FROM names WHERE name_key = ?')
  const known = new Map<number, string>()
  return (name_key) => {
    let name = known.get(name_key)
    if (name === undefined) {
      if (known.size >= REMEMBERED_NAMES) known.clear()
      name = text(find.get(name_key)?.name)
      known.set(name_key, name)
    }
    return name
  }
}
