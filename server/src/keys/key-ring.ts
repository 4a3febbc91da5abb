import { createSecretKey, hkdfSync, type KeyObject, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'
import {
  decodeBase64url,
  hmacSha256,
  KEY_PURPOSES,
  KEY_TYPES,
  type KeyPurpose,
  type NoteKey,
  noteKey,
  type VerificationKey,
} from '@deputize/protocol'
import {
  isActiveKey,
  jwkOf,
  type KeyDocument,
  KeyFileError,
  privateKeyOf,
  type StoredKey,
  type StoredRestore,
} from './key-document.ts'
import { keyFile, openKeyFile, readKeyFile } from './key-file.ts'
import type { KeptKeys, KeyStorage } from './key-storage.ts'
import {
  isListed,
  type KeyStatus,
  keyStatus,
  type NextKids,
  nextKeys,
  OVERLAP_MS,
  rotatedKeys,
  withdrawnKeys,
} from './signing-keys.ts'

const signOnPool = promisify(sign)

/**
 * On two processors, a thread of the pool takes time from the threads that serve callers, and waking it costs more
 * than it saves: tokens are issued faster if the thread that wants one signs. On more, the pool signs.
 */
const signData = availableParallelism() > 2 ? signOnPool : async (...given: SignArguments) => sign(...given)

type SignArguments = [algorithm: null, data: Uint8Array, key: KeyObject]

/** The shortest time between two lookups for keys of other nodes, however many unknown key IDs are requested. */
const LOOK_AGAIN_MS = 1_000

/** The signing keys and the secret of a deployment. */
export interface KeyRing {
  /** The permanent ID of this deployment. */
  readonly instance: string
  /** Every restore of this deployment from a backup, in log order. */
  readonly restores: readonly StoredRestore[]
  /** The key that signs for a purpose now. */
  active(purpose: KeyPurpose): SigningKeyHandle
  /** The key that signs log checkpoints and nothing else. It is never rotated, because verifiers pin it. */
  readonly log: LogKey
  /** Every key that may have signed something still valid, and the next ones. Withdrawn keys are left out. */
  published(): readonly VerificationKey[]
  /** A published key, or a withdrawn one, which is void from its `withdrawn_from_s` on. */
  find(kid: string): VerificationKey | undefined
  /** Like `find`, but looks for new keys of other nodes before it returns undefined. */
  learn(kid: string): Promise<VerificationKey | undefined>
  /** Loads keys that another node has changed. */
  refresh(): Promise<void>
  /** Activates the next keys. The old ones stay published until their last token has expired. */
  rotate(now_ms: number): Promise<void>
  /** The keys that sign after the next rotation, once it is activated. */
  prepareRotation(): PreparedRotation
  /** Withdraws a stolen key. Everything that it signed from `from_ms` on is void. */
  withdraw(kid: string, from_ms: number, now_ms: number): Promise<void>
  /** Every listed key, active ones first. */
  list(): readonly KeyFacts[]
  /** Seals personal data in the store. Derived from the secret of the deployment. */
  readonly vault_key: Uint8Array
  /** Keys the hashes of API key secrets. Derived from the secret of the deployment, so the store alone reveals nothing. */
  readonly api_key_pepper: KeyObject
  /** The reference to a person, or a secret of this purpose. It is keyed with the secret of the deployment, so it can't be found by guessing. */
  digest(kind: 'human' | 'sandbox' | 'vapid' | 'unsubscribe' | 'nonces', text: string): string
}

export interface SigningKeyHandle {
  readonly kid: string
  sign(data: Uint8Array): Promise<Uint8Array>
}

export interface LogKey {
  /** Its name is the origin of the log. */
  readonly key: NoteKey
  sign(data: Uint8Array): Promise<Uint8Array>
}

export interface PreparedRotation {
  readonly kids: NextKids
  /** When every verifier has had time to fetch these keys. A rotation before that makes them reject good tokens. */
  readonly ready_ms: number
  activate(now_ms: number): Promise<void>
}

export interface KeyFacts {
  readonly kid: string
  readonly purpose: KeyPurpose
  readonly status: KeyStatus
  readonly created_at: string
  readonly active_from: string | undefined
  readonly retired_at: string | undefined
  readonly published_until: string | undefined
  readonly withdrawn_at: string | undefined
  readonly withdrawn_from: string | undefined
}

/**
 * Opens the keys of a data directory, or creates them for a new deployment. `log_origin` names the log when its key is
 * created. A log can't be renamed.
 */
export function openKeyRing(
  directory: string,
  now_ms: number,
  isNewDeployment: boolean,
  log_origin?: string,
): KeyRing {
  return keyRing(
    openKeyFile(directory, now_ms, isNewDeployment, log_origin),
    keyFile(directory),
    () => now_ms,
  )
}

/** Opens the key ring over a stored document. */
export function keyRing(found: KeptKeys, storage: KeyStorage, clock: () => number): KeyRing {
  const { place } = storage
  const hmac = hmacSha256(secretOf(found.document)) // the secret of a deployment never changes
  let kept = found
  let active = signingKeys(kept.document, place)
  let known = knownKeys(kept.document, clock())
  let looked_ms = -LOOK_AGAIN_MS
  let look: Promise<void> | undefined

  function use(next: KeptKeys, now_ms: number): void {
    if (next.document.instance !== kept.document.instance)
      throw new KeyFileError(`the keys in ${place} now belong to another deployment`)
    kept = next
    active = signingKeys(kept.document, place)
    known = knownKeys(kept.document, now_ms)
  }

  async function loadNewer(): Promise<void> {
    const newer = await storage.newer(kept)
    if (newer !== undefined && newer.revision > kept.revision) use(newer, clock())
  }

  /** Concurrent callers share one lookup. */
  function refresh(): Promise<void> {
    look ??= loadNewer().finally(() => {
      look = undefined
    })
    return look
  }

  /** If another node changes the keys at the same time, the change is repeated on its result. */
  async function change(make: (document: KeyDocument) => KeyDocument, at_ms: number): Promise<void> {
    for (;;) {
      const next = await storage.replace(kept, make(kept.document))
      if (next !== undefined) return use(next, at_ms)
      await loadNewer()
    }
  }

  function prepareRotation(): PreparedRotation {
    const { kids, ready_ms } = nextKeys(kept.document)
    return {
      kids,
      ready_ms,
      activate: (at_ms) => change((document) => rotatedKeys(document, kids, at_ms), at_ms),
    }
  }

  const find = (kid: string) => known.find((key) => key.kid === kid)

  return {
    instance: kept.document.instance,
    restores: kept.document.restores ?? [],
    log: logKey(kept.document, place),
    vault_key: vaultKeyOf(kept.document),
    api_key_pepper: createSecretKey(derivedKey(kept.document, 'deputy/api-keys')),
    active: (purpose) => active[purpose],
    published: () => known.filter(({ withdrawn_from_s }) => withdrawn_from_s === undefined),
    find,
    async learn(kid) {
      const found = find(kid)
      if (found !== undefined) return found
      const now_ms = performance.now()
      if (now_ms - looked_ms >= LOOK_AGAIN_MS) {
        looked_ms = now_ms
        await refresh()
      } else await look
      return find(kid)
    },
    refresh,
    rotate: (at_ms) => prepareRotation().activate(at_ms),
    prepareRotation,
    withdraw: (kid, from_ms, at_ms) =>
      change((document) => withdrawnKeys(document, kid, from_ms, at_ms), at_ms),
    list: () =>
      kept.document.keys
        .filter(({ kid }) => find(kid) !== undefined)
        .map(factsOf)
        .sort(byStatus),
    digest: (kind, text) => `sha256:${hmac(`${kind}|${text}`)}`,
  }
}

/** The keys that are needed to check a store. None of them signs tokens. */
export interface CheckingKeys {
  readonly instance: string
  readonly log: NoteKey
  readonly vault_key: Uint8Array
  /** The signing keys in use: all but the withdrawn ones. */
  readonly trusted_kids: ReadonlySet<string>
}

/** Reads the keys of a data directory and changes nothing. */
export function readCheckingKeys(directory: string): CheckingKeys {
  const { document, place } = readKeyFile(directory)
  return checkingKeys(document, place)
}

export function checkingKeys(document: KeyDocument, place: string): CheckingKeys {
  const trusted = document.keys.filter(({ withdrawn_at }) => withdrawn_at === undefined)
  return {
    instance: document.instance,
    log: logKey(document, place).key,
    vault_key: vaultKeyOf(document),
    trusted_kids: new Set(trusted.map(({ kid }) => kid)),
  }
}

function vaultKeyOf(document: KeyDocument): Uint8Array {
  return derivedKey(document, 'deputy/vault')
}

function derivedKey(document: KeyDocument, label: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secretOf(document), '', label, 32))
}

function secretOf({ secret }: KeyDocument): Uint8Array {
  return Buffer.from(secret, 'base64url')
}

function logKey({ log }: KeyDocument, place: string): LogKey {
  if (log === undefined) throw new KeyFileError(`${place} does not hold a log key`)
  const privateKey = privateKeyOf(log.x, log.d, place)
  return {
    key: noteKey(log.origin, KEY_TYPES.log, decodeBase64url(log.x)),
    sign: (data) => signData(null, data, privateKey),
  }
}

function factsOf(key: StoredKey): KeyFacts {
  const { kid, purpose, created_at, active_from, retired_at, withdrawn_at, withdrawn_from } = key
  const published_until =
    retired_at === undefined || withdrawn_at !== undefined
      ? undefined
      : new Date(Date.parse(retired_at) + OVERLAP_MS).toISOString()
  return {
    kid,
    purpose,
    status: keyStatus(key),
    created_at,
    active_from,
    retired_at,
    published_until,
    withdrawn_at,
    withdrawn_from,
  }
}

const STATUS_ORDER: readonly KeyStatus[] = ['active', 'next', 'retired', 'withdrawn']

function byStatus(one: KeyFacts, other: KeyFacts): number {
  return (
    STATUS_ORDER.indexOf(one.status) - STATUS_ORDER.indexOf(other.status) ||
    KEY_PURPOSES.indexOf(one.purpose) - KEY_PURPOSES.indexOf(other.purpose)
  )
}

function signingKeys(document: KeyDocument, place: string): Readonly<Record<KeyPurpose, SigningKeyHandle>> {
  return {
    tokens: signingKey(document, 'tokens', place),
    status_lists: signingKey(document, 'status_lists', place),
    statements: signingKey(document, 'statements', place),
  }
}

function signingKey({ keys }: KeyDocument, purpose: KeyPurpose, place: string): SigningKeyHandle {
  const active = keys.find((key) => key.purpose === purpose && isActiveKey(key))
  if (active?.d === undefined) throw new KeyFileError(`${place} does not hold an active key for ${purpose}`)
  const privateKey = privateKeyOf(active.x, active.d, place)
  return { kid: active.kid, sign: (data) => signData(null, data, privateKey) }
}

/** Returns the keys that verify signatures, each with the second from which its signatures are void. */
function knownKeys({ keys }: KeyDocument, now_ms: number): VerificationKey[] {
  return keys
    .filter((key) => isListed(key, now_ms))
    .map(({ kid, x, purpose, withdrawn_from }) => ({
      kid,
      alg: 'EdDSA',
      jwk: jwkOf(x),
      purpose,
      ...(withdrawn_from !== undefined && {
        withdrawn_from_s: Math.floor(Date.parse(withdrawn_from) / 1000),
      }),
    }))
}
