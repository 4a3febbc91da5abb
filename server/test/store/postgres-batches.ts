import assert from 'node:assert/strict'
import type { Command, Reply } from '../../src/clerk/command.ts'
import { runBatch } from '../../src/clerk/run-batch.ts'
import type { WriteStore } from '../../src/store/port/write-store.ts'
import { anAuthorization } from '../an-authorization.ts'
import { look } from '../contract/a-postgres.ts'
import { rootClaims } from '../root-claims.ts'

/** The token whose actions are recorded. */
export const ROOT = 'vat_root_1'

/** A token of an agent and a person with this name. */
export function aToken(jti: string, name: string, status_index: number): Command {
  const claims = rootClaims(jti, name, Math.floor(Date.now() / 1000))
  const purpose = `what ${name} wants`
  return { kind: 'issue', claims, purpose, compact_jwt: '', jwt_hash: `sha256:${jti}`, status_index }
}

/** A record. With a new result, its batch assigns a key to a new name. */
export function aRecord(suffix: string, result = 'success'): Command {
  return {
    kind: 'record_action',
    result,
    result_hash: undefined,
    ...anAuthorization({ suffix, vat_jti: ROOT }),
  }
}

/** Runs a batch and returns the first reply. */
export async function write(node: WriteStore, ...commands: Command[]): Promise<Reply | undefined> {
  return (await runBatch(node, commands, (cause) => assert.fail(String(cause)))).replies[0]
}

/** The records with their results, in the order of the log. */
export async function records(url: string): Promise<unknown[]> {
  const rows = await look(
    url,
    'SELECT aar_id, name FROM records JOIN names ON name_key = result_key ORDER BY log_index',
  )
  return rows.map(({ aar_id, name }) => `${aar_id}: ${name}`)
}

/** Whether an action was allowed. */
export function decisionOf(reply: Reply | undefined): unknown {
  assert.ok(reply !== undefined && 'outcome' in reply)
  return (reply.outcome as { allowed: boolean }).allowed
}
