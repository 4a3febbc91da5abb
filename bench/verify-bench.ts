import { generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto'
import { decodeCompact, signCompact } from '@deputize/protocol'
import { deputy, type TokenVerifier } from '@deputize/sdk'
import { jwtVerify } from 'jose'
import { pick } from './cases.ts'
import type { Settings } from './compare.ts'
import { type Columns, medianOf, tableOf, writeReport } from './report.ts'
import { builtSdk, sdkEntry } from './sdk-package.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

const DEPTHS = [0, 5]
/** Number of different tokens. A cold case ends when it has seen all of them. */
const TOKENS = 10_000
const KID = 'bench'

/** Tokens like those of the service, except for their IDs and their key, which belongs to the bench. */
interface Minted {
  readonly depth: number
  readonly issuer: string
  readonly bytes: number
  readonly tokens: readonly string[]
}

interface VerifyCase {
  readonly name: string
  readonly depth: number
  /** Prepares the case untimed and returns the function that verifies token number `index`. */
  start(): Promise<(index: number) => Promise<unknown> | boolean>
  /** Ends after every token was seen once. */
  readonly is_once: boolean
}

interface Round {
  readonly per_s: number
  /** Includes all threads of this process. */
  readonly processor_us: number
}

export interface VerifyFigures {
  readonly name: string
  readonly depth: number
  readonly per_s: number
  readonly processor_us: number
  /** Relative to the bare signature check of node:crypto, and to jose, each in the same round. */
  readonly of_floor: readonly number[]
  readonly of_jose: readonly number[]
}

const FLOOR = 'node:crypto verify, signature only'
const PEER = 'jose jwtVerify'

/** Measures how many tokens a process verifies per second offline, one after another. */
export async function verifyBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const sdk = await sdkEntry<typeof import('@deputize/sdk')>(await builtSdk(directory), 'index')
    const pair = generateKeyPairSync('ed25519')
    const minted = await mint(directory, pair.privateKey)
    const cases = (await Promise.all(minted.map((one) => verifyCases(one, pair.publicKey, sdk)))).flat()
    for (const one of cases) await timedVerifications(one, settings.warm_up_seconds / cases.length)
    const rounds: Map<VerifyCase, Round>[] = []
    for (let round = 0; round < settings.rounds; round++) {
      const measured = new Map<VerifyCase, Round>()
      for (const one of cases) measured.set(one, await timedVerifications(one, settings.seconds))
      rounds.push(measured)
      process.stderr.write(`round ${round + 1}/${settings.rounds}\n`)
    }
    const figures = cases.map((one) => verifyFigures(one, cases, rounds))
    const bytes = Object.fromEntries(minted.map(({ depth, bytes }) => [`depth_${depth}`, bytes]))
    writeReport('verify', settings, { token_bytes: bytes, figures }, tableOf(figures, COLUMNS))
  })
}

async function mint(directory: string, key: KeyObject): Promise<Minted[]> {
  const program = await startDeputyProgram(directory)
  try {
    const service = deputy({ url: program.url })
    const { issuer } = await service.getDeployment()
    const chain = [
      (
        await service.issueL1({
          developer_email: 'dev@example.com',
          agent_id: 'bench-agent',
          resources: ['calendar:events', 'email:inbox'],
          actions: ['read', 'write', 'delegate'],
        })
      ).compact_jwt,
    ]
    for (let depth = 1; depth <= Math.max(...DEPTHS); depth++) {
      const vat_jti = String(decodeCompact(chain.at(-1) ?? '').payload.jti)
      const actions = ['read', 'write', 'delegate']
      chain.push((await service.delegate({ vat_jti, agent_id: `bench-sub-${depth}`, actions })).compact_jwt)
    }
    return await Promise.all(DEPTHS.map((depth) => copies(depth, issuer, chain[depth] ?? '', key)))
  } finally {
    await program.kill()
  }
}

async function copies(depth: number, issuer: string, model: string, key: KeyObject): Promise<Minted> {
  const { payload } = decodeCompact(model)
  const header = { alg: 'EdDSA', typ: 'vat+jwt', kid: KID } as const
  const tokens: string[] = []
  for (let index = 0; index < TOKENS; index++)
    tokens.push(
      await signCompact(header, { ...payload, jti: `vat_${randomUUID()}` }, (input) =>
        sign(null, input, key),
      ),
    )
  return { depth, issuer, bytes: tokens[0]?.length ?? 0, tokens }
}

async function verifyCases(
  { depth, issuer, tokens }: Minted,
  public_key: KeyObject,
  { tokenVerifier }: typeof import('@deputize/sdk'),
): Promise<VerifyCase[]> {
  const jwk = public_key.export({ format: 'jwk' })
  const web_key = await crypto.subtle.importKey('jwk', jwk, { name: 'Ed25519' }, true, ['verify'])
  const parts = tokens.map(partsOf)
  const partAt = (index: number) => pick(parts, index)
  const verifier = () => tokenVerifier({ jwks: { keys: [{ ...jwk, kid: KID, alg: 'EdDSA' }] }, issuer })
  // A new string each time, as from a socket: a reused string would have its hash cached.
  const sameToken = async (it: TokenVerifier) => {
    const bytes = Buffer.from(pick(tokens, 0))
    await it.verify(bytes.toString('latin1'))
    return () => it.verify(bytes.toString('latin1'))
  }
  const repeated = (name: string, work: (index: number) => Promise<unknown> | boolean): VerifyCase => ({
    name,
    depth,
    is_once: false,
    start: async () => work,
  })
  return [
    repeated(FLOOR, (index) => {
      const { message, signature } = partAt(index)
      return verify(null, message, public_key, signature)
    }),
    repeated('Web Crypto verify, signature only', (index) => {
      const { message, signature } = partAt(index)
      return crypto.subtle.verify({ name: 'Ed25519' }, web_key, signature, message)
    }),
    repeated(PEER, (index) =>
      jwtVerify(pick(tokens, index), web_key, { issuer, typ: 'vat+jwt', algorithms: ['EdDSA'] }),
    ),
    {
      name: 'SDK tokenVerifier, every token new',
      depth,
      is_once: true,
      start: async () => {
        const it = verifier()
        return (index) => it.verify(pick(tokens, index))
      },
    },
    {
      name: 'SDK tokenVerifier, the same token again',
      depth,
      is_once: false,
      start: () => sameToken(verifier()),
    },
  ]
}

function partsOf(token: string) {
  const { signingInput, signature } = decodeCompact(token)
  return { message: new Uint8Array(signingInput), signature: new Uint8Array(signature) }
}

/** Verifies one token after another until the time is up. A refused token fails the bench. */
async function timedVerifications({ name, start, is_once }: VerifyCase, seconds: number): Promise<Round> {
  const work = await start()
  const before = process.cpuUsage()
  const started = performance.now()
  const ends_at = started + seconds * 1000
  let count = 0
  while (performance.now() < ends_at && !(is_once && count === TOKENS)) {
    const verified = work(count)
    if ((typeof verified === 'boolean' ? verified : await verified) === false)
      throw new Error(`${name} says no`)
    count += 1
  }
  const { user, system } = process.cpuUsage(before)
  return {
    per_s: (count * 1000) / (performance.now() - started),
    processor_us: (user + system) / count,
  }
}

function verifyFigures(
  one: VerifyCase,
  cases: readonly VerifyCase[],
  rounds: readonly Map<VerifyCase, Round>[],
): VerifyFigures {
  const per_s = (round: Map<VerifyCase, Round>, name: string) => {
    const wanted = cases.find((other) => other.name === name && other.depth === one.depth)
    return (wanted === undefined ? undefined : round.get(wanted)?.per_s) ?? Number.NaN
  }
  const against = (name: string) => rounds.map((round) => per_s(round, one.name) / per_s(round, name))
  const { name, depth } = one
  return {
    name,
    depth,
    per_s: medianOf(rounds.map((round) => per_s(round, name))),
    processor_us: medianOf(rounds.map((round) => round.get(one)?.processor_us ?? Number.NaN)),
    of_floor: against(FLOOR),
    of_jose: against(PEER),
  }
}

const COLUMNS: Columns<VerifyFigures> = {
  'one after another': ({ name }) => name,
  depth: ({ depth }) => String(depth),
  'per second': ({ per_s }) => per_s.toFixed(0),
  'processor us': ({ processor_us }) => processor_us.toFixed(1),
  'of node:crypto': ({ of_floor }) => medianOf(of_floor).toFixed(2),
  'of jose': ({ of_jose }) => medianOf(of_jose).toFixed(2),
  'least to most': ({ of_jose }) =>
    `${Math.min(...of_jose).toFixed(2)} to ${Math.max(...of_jose).toFixed(2)}`,
}
