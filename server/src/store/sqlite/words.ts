import type { DatabaseSync } from 'node:sqlite'
import type { TokenWords } from '../../domain/token.ts'
import type { FieldOpener } from './sealed-fields.ts'

/** Reads what was said about tokens. */
export function wordReader(db: DatabaseSync, open: FieldOpener) {
  const byJti = db.prepare(`
    SELECT t.purpose, s.revoke_reason FROM tokens t LEFT JOIN token_states s ON s.token_key = t.token_key
    WHERE t.jti = ?`)

  function wordsOf(jti: string): TokenWords | undefined {
    const row = byJti.get(jti)
    if (row === undefined || (row.purpose === null && row.revoke_reason === null)) return undefined
    const purpose = open(row.purpose, { kind: 'token.purpose', row: jti })
    const reason = open(row.revoke_reason, { kind: 'token.reason', row: jti })
    return { purpose: purpose.text, revoke_reason: reason.text, erased: purpose.erased || reason.erased }
  }

  return (jtis: readonly string[]): ReadonlyMap<string, TokenWords> => {
    const found = new Map<string, TokenWords>()
    for (const jti of jtis) {
      const words = wordsOf(jti)
      if (words !== undefined) found.set(jti, words)
    }
    return found
  }
}
