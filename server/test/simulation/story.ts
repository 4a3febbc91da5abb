import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AuthorityError, type Claims } from '@deputize/protocol'
import type { ManualClock } from '@deputize/testing/manual-clock.ts'
import { type Clerk, openClerk } from '../../src/clerk/clerk.ts'
import type { Command } from '../../src/clerk/command.ts'
import type { AuthorizationOutcome } from '../../src/clerk/judges/authorization.ts'
import { anAuthorization } from '../an-authorization.ts'
import { type Draw, drawing } from './drawing.ts'
import type { Fault, SimulatedNode } from './simulated-node.ts'

export const MAX_SPEND = 5
export const MAX_ACTIONS = 4
const CLIENTS = 3
const WISHES = 4
const TRIES = 50

/** Something that a client wants done once, however often it must ask. */
export interface Wish {
  readonly root: string
  readonly spend: number
  readonly key: string
  /** IDs that its attempts drew: each attempt draws a new one, and at most one of them may be stored. */
  readonly suffixes: string[]
  /** What the service has answered. */
  readonly answers: { readonly allowed: boolean; readonly id: string | undefined }[]
}

export interface Told {
  readonly name: string
  readonly wishes: readonly Wish[]
  /** Roots whose revocation was answered. */
  readonly revoked: readonly string[]
  readonly faults: number
}

/** One story: clients that ask, repeat and overtake each other, while the node dies and its clock jumps. */
export async function tellStory(node: SimulatedNode, clock: ManualClock, seed: number): Promise<Told> {
  const draw = drawing(seed)
  const name = `s${seed}`
  let isCalm = true
  let faults = 0
  const clerk = openClerk(
    async (commands, lane) => {
      const fault: Fault = isCalm ? 'none' : draw.pick(FAULTS)
      if (fault !== 'none') faults += 1
      if (!isCalm && draw.chance(0.2)) clock.advance(draw.between(-600_000, 600_000))
      return node.execute(commands, lane, fault, draw.share())
    },
    { queue_limit: 1_000, batch_limit: 3, batches_in_flight: 1 },
  )
  const roots = [`vat_root_${name}a`, `vat_root_${name}b`]
  for (const [number, root] of roots.entries()) await clerk.submit(issued(root, name, number, clock))
  isCalm = false
  const wishes: Wish[] = []
  const revoked: string[] = []
  const client = async (number: number) => {
    for (let turn = 0; turn < WISHES; turn++) {
      for (let pause = draw.between(0, 3); pause > 0; pause--) await nextTurn()
      const root = draw.pick(roots)
      if (draw.chance(0.08)) {
        await persist(() => clerk.submit({ kind: 'revoke', vat_jti: root, reason: undefined }))
        revoked.push(root)
        continue
      }
      const wish = aWish(root, draw.between(0, 3), `${name}k${number}x${turn}`)
      wishes.push(wish)
      // Some send a call twice at once, as a client behind a proxy that repeats it does.
      const asking = Array.from({ length: draw.chance(0.3) ? 2 : 1 }, () => ask(clerk, wish, draw))
      await Promise.all(asking)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)))
  isCalm = true
  for (const wish of wishes) await ask(clerk, wish, draw) // everybody asks once more: the answer is the same
  await clerk.drain()
  return { name, wishes, revoked, faults }
}

const FAULTS: readonly Fault[] = ['none', 'none', 'none', 'none', 'aborted', 'lost', 'torn', 'torn']

function aWish(root: string, spend: number, key: string): Wish {
  return { root, spend, key, suffixes: [], answers: [] }
}

async function ask(clerk: Clerk, wish: Wish, draw: Draw): Promise<void> {
  const { root, spend, key } = wish
  const { outcome } = await persist(() => {
    const suffix = `${key}n${draw.between(0, 1e9)}`
    wish.suffixes.push(suffix)
    const asked = anAuthorization({ suffix, vat_jti: root, spend_micro_usd: spend })
    const command: Command = { kind: 'record_action', result: 'success', result_hash: undefined, ...asked }
    return clerk.submit({ ...command, replay: { key, fingerprint: `${root} ${spend}` } })
  })
  const decided = outcome as AuthorizationOutcome // the outcome type of this command's judge
  wish.answers.push({ allowed: decided.allowed, id: decided.allowed ? decided.aar_id : decided.denial_id })
}

/** Repeats a call until the service answers. */
async function persist<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof AuthorityError) || error.code !== 'storage_unavailable') throw error
    }
  }
  return assert.fail(`no answer after ${TRIES} tries`)
}

let statuses = 0

function issued(jti: string, name: string, number: number, clock: ManualClock): Command {
  const iat = Math.floor(clock() / 1000)
  const status_index = statuses++
  const claims: Claims = {
    iss: 'urn:simulation',
    sub: `agent:${name}`,
    jti,
    iat,
    nbf: iat - 86_400,
    exp: iat + 86_400,
    svc_env: 'open',
    svc_trust_score: 0,
    svc_assurance_level: 'L1',
    svc_human_ref: `sha256:${name}`,
    svc_scope: { resources: ['calendar:events'], actions: ['read'] },
    svc_provenance_ref: `prov_${jti}`,
    svc_delegation_depth: 0,
    svc_root_jti: jti,
    status: { status_list: { idx: status_index, uri: 'urn:simulation' } },
    svc_constraints: number === 0 ? { max_spend_usd: MAX_SPEND / 1e6 } : { max_actions: MAX_ACTIONS },
  }
  const jwt_hash = `sha256:${jti}`
  return { kind: 'issue', claims, purpose: undefined, compact_jwt: '', jwt_hash, status_index }
}
