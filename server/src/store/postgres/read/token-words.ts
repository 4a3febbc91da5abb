import type { TokenWords } from '../../../domain/tokens/token.ts'
import { wordsOf } from '../../rows/tokens.ts'
import { text } from '../../values.ts'
import type { Vault } from '../../vault.ts'
import type { Database } from '../connect.ts'
import { rowsOf } from './reading.ts'
import { openerOf, wrappedKeyOf } from './sealed-fields.ts'

/** Reads the purposes of tokens and the reasons of revocations and suspensions. Tokens with none are left out. */
export async function wordsAbout(
  database: Database,
  vault: Vault,
  jtis: readonly string[],
): Promise<ReadonlyMap<string, TokenWords>> {
  const rows = await rowsOf(
    database,
    `SELECT t.jti, h.human_ref, t.purpose, s.revoke_reason, s.suspend_reason,
      ${wrappedKeyOf('t.purpose', 'purpose')}, ${wrappedKeyOf('s.revoke_reason', 'revoke_reason')},
      ${wrappedKeyOf('s.suspend_reason', 'suspend_reason')}
    FROM tokens t LEFT JOIN token_states s ON s.token_key = t.token_key JOIN humans h ON h.human_key = t.human_key
    WHERE t.jti = ANY(?)`,
    jtis,
  )
  const byJti = new Map(rows.map((row) => [text(row.jti), row]))
  const found = new Map<string, TokenWords>()
  for (const jti of jtis) {
    const row = byJti.get(jti)
    const words = row && wordsOf(row, jti, openerOf(vault, row, text(row.human_ref)))
    if (words !== undefined) found.set(jti, words)
  }
  return found
}
