import assert from 'node:assert/strict'
import { AuthorityError, type Claims } from '@deputize/protocol'
import type { SeededDraw } from '@deputize/testing/seeded-draw.ts'
import type { Clerk } from '../../src/clerk/clerk.ts'
import type { Command } from '../../src/clerk/command.ts'
import type { AuthorizationOutcome } from '../../src/clerk/judges/authorization.ts'
import { anAuthorization } from '../an-authorization.ts'
import { rootClaims } from '../root-claims.ts'

export const MAX_SPEND = 5
export const MAX_ACTIONS = 4
const TRIES = 1_000
/** More stories than any store is used for. */
export const MOST_STORIES = 1_000

/** An action that a client wants exactly once, however often it must ask. */
export interface Wish {
  readonly root: string
  readonly spend: number
  readonly key: string
  /** IDs that its attempts drew. Each attempt draws a new one, and at most one of them may be stored. */
  readonly suffixes: string[]
  /** The answers of the service. */
  readonly answers: { readonly allowed: boolean; readonly id: string | undefined }[]
}

/** The outcome of a story, as its clients know it. */
export interface Told {
  readonly seed: number
  readonly name: string
  readonly wishes: readonly Wish[]
  /** Roots whose revocation was acknowledged. */
  readonly revoked: readonly string[]
  readonly faults: number
}

/** Submits a command to a service. */
export type Submit = Clerk['submit']

export function aWish(root: string, spend: number, key: string): Wish {
  return { root, spend, key, suffixes: [], answers: [] }
}

export async function ask(submit: Submit, wish: Wish, draw: SeededDraw): Promise<void> {
  const { root, spend, key } = wish
  const { outcome } = await persist(() => {
    const suffix = `${key}n${draw.between(0, 1e9)}`
    wish.suffixes.push(suffix)
    const asked = anAuthorization({ suffix, vat_jti: root, spend_micro_usd: spend })
    const command: Command = { kind: 'record_action', result: 'success', result_hash: undefined, ...asked }
    return submit({ ...command, replay: { key, fingerprint: `${root} ${spend}` } })
  })
  const decided = outcome as AuthorizationOutcome // the outcome type of this command's judge
  wish.answers.push({ allowed: decided.allowed, id: decided.allowed ? decided.aar_id : decided.denial_id })
}

const REPEATABLE: readonly string[] = ['storage_unavailable', 'storage_full']

/** Repeats a call until the service answers. */
export async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof AuthorityError && REPEATABLE.includes(error.code))) throw error
    }
  }
  return assert.fail(`no answer after ${TRIES} tries`)
}

/** The tokens of a story: one with a budget, and one with a limit on the number of actions. */
export function rootsOf(name: string): readonly [string, string] {
  return [`vat_root_${name}a`, `vat_root_${name}b`]
}

export function issued(
  jti: string,
  seed: number,
  number: number,
  now_ms: number,
): Command & { kind: 'issue' } {
  const name = `s${seed}`
  const iat = Math.floor(now_ms / 1000)
  const status_index = 2 * (seed % MOST_STORIES) + number
  const claims: Claims = {
    ...rootClaims(jti, name, iat),
    nbf: iat - 86_400,
    exp: iat + 86_400,
    status: { status_list: { idx: status_index, uri: 'urn:simulation' } },
    svc_constraints: number === 0 ? { max_spend_usd: MAX_SPEND / 1e6 } : { max_actions: MAX_ACTIONS },
  }
  const jwt_hash = `sha256:${jti}`
  const replay = { key: `${jti}i`, fingerprint: jti }
  return { kind: 'issue', claims, purpose: undefined, compact_jwt: '', jwt_hash, status_index, replay }
}

/** What a client wanted, and whether it was allowed. IDs of denials are random. */
export function outlineOf({ key, suffixes, answers }: Wish) {
  return { key, suffixes, answers: answers.map(({ allowed }) => allowed) }
}
