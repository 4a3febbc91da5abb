import assert from 'node:assert/strict'
import { MAX_ACTIONS, MAX_SPEND, rootsOf, type Told } from './wishes.ts'

interface StoredAction {
  readonly aar_id: string
  readonly log_index: number
  readonly spend: number
  readonly root: string
}

export interface Stored {
  /** The actions by their root token. */
  readonly actions: Map<string, StoredAction[]>
  /** The log index at which a token is revoked. */
  readonly revoked: Map<string, number>
}

const ACTIONS = `SELECT r.aar_id, r.log_index, r.spend_micro_usd AS spend, t.jti AS root
  FROM records r JOIN tokens t USING (token_key)`
const REVOCATIONS = `SELECT leaf, log_index FROM leaves WHERE leaf LIKE '%"token.revoked"%' ORDER BY log_index DESC`

/** Reads what a store contains. `all` queries it without the service. */
export async function storedBy(
  all: (sql: string) => Promise<readonly Record<string, unknown>[]>,
): Promise<Stored> {
  const actions = (await all(ACTIONS)).map(({ aar_id, log_index, spend, root }) => ({
    aar_id: String(aar_id),
    log_index: Number(log_index),
    spend: Number(spend),
    root: String(root),
  }))
  const revoked = new Map<string, number>()
  for (const { leaf, log_index } of await all(REVOCATIONS))
    revoked.set(/vat_root_\w+/.exec(String(leaf))?.[0] ?? '', Number(log_index))
  return { actions: Map.groupBy(actions, ({ root }) => root), revoked }
}

/** Fails unless the store contains what the clients of a story were told, once, and within the limits. */
export function assertTrue({ name, wishes, revoked }: Told, stored: Stored): void {
  for (const { root, suffixes, answers, key } of wishes) {
    const own = stored.actions.get(root) ?? []
    const kept = own.filter(({ aar_id }) => suffixes.some((suffix) => aar_id === `aar_${suffix}`))
    assert.ok(kept.length <= 1, `${key} was done ${kept.length} times`)
    assert.ok(answers.length > 0)
    const ids = new Set(answers.map(({ id }) => id))
    assert.equal(ids.size, 1, `${key} got different answers: ${[...ids]}`)
    const [answer] = answers
    assert.deepEqual(
      kept.map(({ aar_id }) => aar_id),
      answer?.allowed ? [answer.id] : [],
      `${key} is not stored as it was answered`,
    )
  }
  for (const [number, root] of rootsOf(name).entries()) {
    const own = stored.actions.get(root) ?? []
    const spent = own.reduce((sum, { spend }) => sum + spend, 0)
    assert.ok(number === 0 ? spent <= MAX_SPEND : own.length <= MAX_ACTIONS, `${root} passed its limit`)
    if (!revoked.includes(root)) continue
    const revoked_at = stored.revoked.get(root)
    assert.ok(revoked_at !== undefined, `the revocation of ${root} is lost`)
    for (const { log_index } of own)
      assert.ok(log_index < revoked_at, `an action follows the revocation of ${root}`)
  }
}
