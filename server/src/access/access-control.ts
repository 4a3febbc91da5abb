import { randomBytes } from 'node:crypto'
import { DEFAULT_TENANT, memoryGuard } from '@deputize/protocol'
import type { KeyRing } from '../keys/key-ring.ts'
import type { EphemeralStore } from '../store/ephemeral.ts'
import type { RegistryReader } from '../store/port/registry.ts'
import type { ReadStore } from '../store/port.ts'
import { openAgentTokens } from './agent-token.ts'
import {
  type ApiKeyDocument,
  type KeyHolders,
  openKeyHolders,
  REMEMBERED_AMONG_NODES_MS,
} from './key-holders.ts'
import { type KeySessionRecorder, KeySessions } from './key-sessions.ts'
import { KeyUses } from './key-uses.ts'
import { type KeyedAccess, openKeyedAccess } from './keyed-access.ts'
import { proofNonces } from './proof-nonces.ts'
import { SecurityEvents } from './security-events.ts'
import { openSessions, type SessionRecorder, type Sessions } from './sessions.ts'
import { newSetUp, type SetUp } from './set-up.ts'
import { sharedReplayGuard } from './shared-replay-guard.ts'
import { type StepUpGrants, stepUpGrants } from './step-up.ts'
import { openTenants, type Tenants } from './tenants.ts'

export interface AccessControlOptions {
  readonly mode: 'open' | 'keyed'
  readonly public_url: () => string
  readonly issuer: string
  readonly reader: ReadStore
  readonly ephemeral: EphemeralStore
  readonly keys: KeyRing
  readonly sessionRecorder: SessionRecorder
  readonly keySessionRecorder: KeySessionRecorder
  readonly clock: () => number
  /** Whether this process is the only one on its store. */
  readonly is_alone: boolean
  /** Maximum number of proofs of possession that this process remembers, to refuse replays. */
  readonly proof_limit?: number | undefined
  /** Called if the counts of refused calls can't be written. */
  onTrouble(cause: unknown): void
}

/** Who callers are and what they may do. */
export interface AccessControl {
  readonly tenants: Tenants
  readonly sessions: Sessions
  /** Sessions of operators, developers and auditors. */
  readonly keySessions: KeySessions
  readonly keyHolders: KeyHolders
  /** Calls that people have confirmed with a passkey. */
  readonly grants: StepUpGrants
  /** Undefined in open mode. */
  readonly keyed: KeyedAccess | undefined
  /** Lets the first operator in. Undefined once there is one, and in open mode. */
  readonly setup: SetUp | undefined
  /** When API keys were last used. */
  readonly keyUses: KeyUses
  /** Calls that were refused. */
  readonly securityEvents: SecurityEvents
  /** Must be called after an API key was changed or removed on this node. */
  forgetKey(key_id: string): void
}

export async function openAccessControl(options: AccessControlOptions): Promise<AccessControl> {
  const { mode, public_url, issuer, reader, ephemeral, keys, clock, is_alone } = options
  const tenants = openTenants(reader.registry, clock)
  const { registry } = reader
  const sessions = openSessions({ ephemeral, registry, recorder: options.sessionRecorder, clock })
  const keySessions = new KeySessions({ ephemeral, registry, recorder: options.keySessionRecorder, clock })
  const keyHolders = openKeyHolders({
    pepper: keys.api_key_pepper,
    lookup: (key_id) => reader.registry.entry('api_key', key_id),
    clock,
    remember_ms: is_alone ? Number.POSITIVE_INFINITY : REMEMBERED_AMONG_NODES_MS,
  })
  const grants = stepUpGrants(ephemeral, clock)
  const nonces = proofNonces(is_alone ? randomBytes(32) : sharedNonceKey(keys), clock)
  const agentTokens = openAgentTokens({
    issuer,
    public_url,
    keys,
    issued: reader.standing.token,
    allow_bearer: async (tenant_id) => (await tenants.find(tenant_id))?.allow_bearer ?? false,
    guard: is_alone ? memoryGuard(clock(), options.proof_limit) : sharedReplayGuard(ephemeral),
    nonces,
    clock,
  })
  const isKeyed = mode === 'keyed'
  const keyUses = new KeyUses(ephemeral, clock)
  return {
    tenants,
    sessions,
    keySessions,
    keyHolders,
    grants,
    keyed: isKeyed
      ? openKeyedAccess({
          reader,
          tenants,
          keyHolders,
          keyUses,
          agentTokens,
          sessions,
          keySessions,
          nonces,
          grants,
          clock,
        })
      : undefined,
    setup: isKeyed && (await firstOperator(reader.registry, clock())) === undefined ? newSetUp() : undefined,
    keyUses,
    securityEvents: new SecurityEvents({ ephemeral, clock, onTrouble: options.onTrouble }),
    forgetKey: keyHolders.forget,
  }
}

/** The next call may reach another node. No node needs nonces to recognize a replay, because all share one memory. */
function sharedNonceKey(keys: KeyRing): Uint8Array {
  return Buffer.from(keys.digest('nonces', 'proofs').slice('sha256:'.length), 'hex')
}

/** Returns the id of the oldest unexpired operator key of the default tenant, or undefined if there is none. */
export async function firstOperator(registry: RegistryReader, now_ms: number): Promise<string | undefined> {
  let oldest: { readonly id: string; readonly log_index: number } | undefined
  let before: number | undefined
  do {
    const page = await registry.list('api_key', { tenant_id: DEFAULT_TENANT }, { limit: 200, before })
    for (const { id, document, log_index } of page.entries) {
      const { role, expires_at }: ApiKeyDocument = JSON.parse(document)
      if (role !== 'operator' || Date.parse(expires_at) <= now_ms) continue
      if (oldest === undefined || log_index < oldest.log_index) oldest = { id, log_index }
    }
    before = page.before
  } while (before !== undefined)
  return oldest?.id
}
