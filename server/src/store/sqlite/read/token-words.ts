import type { DatabaseSync } from 'node:sqlite'
import type { TokenWords } from '../../../domain/tokens/token.ts'
import { wordsOf } from '../../rows/tokens.ts'
import type { FieldOpener } from './sealed-fields.ts'

/** Reads the purposes of tokens and the reasons of revocations and suspensions. Tokens with none are left out. */
export function wordReader(db: DatabaseSync, open: FieldOpener) {
  const byJti = db.prepare(`
    SELECT t.purpose, s.revoke_reason, s.suspend_reason FROM tokens t
    LEFT JOIN token_states s ON s.token_key = t.token_key WHERE t.jti = ?`)

  return (jtis: readonly string[]): ReadonlyMap<string, TokenWords> => {
    const found = new Map<string, TokenWords>()
    for (const jti of jtis) {
      const row = byJti.get(jti)
      const words = row && wordsOf(row, jti, (column, place) => open(row[column], place))
      if (words !== undefined) found.set(jti, words)
    }
    return found
  }
}
