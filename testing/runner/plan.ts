import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { REPOSITORY } from '../source-imports.ts'
import type { Job } from './job.ts'
import type { Preparation } from './preparations.ts'

/** The tests of rules, stores, HTTP, protocol and SDK that start no programs. */
const FAST = [
  'protocol/test/generated.test.ts',
  'protocol/test/*/*.test.ts',
  'biometrics/test/rules/*.test.ts',
  'testing/test/*.test.ts',
  'web/test/*.test.ts',
  'docs/test/{pages,settings,threats}.test.ts',
  'cli/test/{progress-bar,terminal}.test.ts',
  'sdk/node/test/{imports,late-answers,operations,remembered-tokens,together}.test.ts',
  'server/test/*.test.ts',
  'server/test/keys/key-ring.test.ts',
  'server/test/model/model.test.ts',
  'server/test/{access,clerk,domain,http,log,operations,outbound,verification}/*.test.ts',
  'server/test/contract/{sqlite,workflow-leaves}.test.ts',
  'server/test/store/{seal-existing,vault}.test.ts',
]
const ALL = '{protocol,biometrics,testing,server,cli,deploy,docs,sdk,web,integrations}/**/*.test.ts'
const NOT_OURS = '**/{node_modules,dist}/**'

/** Each has its own process: they start programs, change their process's state, or get all tests from a contract. */
const ALONE = ['testing/test/runner.test.ts', 'server/test/contract/sqlite.test.ts']

/**
 * Files of one row share processes, because loading the service is most of the cost of each. Files that change their
 * process, such as by registering a tracer, and long ones are left out.
 */
const TOGETHER = [
  'biometrics/test/{audio,pack,vision}/*.test.ts',
  'cli/test/{check,check-database,cli,compiled,confirm-stop,stop,verify}.test.ts',
  'cli/test/commands/*.test.ts',
  'cli/test/mcp/{example,http-guard,mcp-server,near-spellings,streams}.test.ts',
  'cli/test/witness/*.test.ts',
  'docs/test/{engine-pack,events,guarantees,limits}.test.ts',
  'protocol/test/{events,mutated-documents,ocsf}.test.ts',
  'sdk/node/test/{answer-session,authority,bound-requests,client,decide-offline,events,exact-arguments,fetch-with-credential,governed-approvals,guard-offline,guard-targets,guard-tenants,guards,json-body,keyed,mistakes,resource-metadata,result-hash,retries,rounded-usd,verify-person,verify-token,verify-webhook}.test.ts',
  'server/test/{backup,events,keys,messages,stop,trust}/*.test.ts',
  'server/test/check/{check-data,check-database,replay}.test.ts',
  'server/test/contract/{deliveries,ephemeral,erased-keys,postgres-reads}.test.ts',
  'server/test/e2e/{access-mode,alerts,balancer,chain-races,crash,database-away,errors,event-nodes,fronts,keyed-program,kill-switch,message-kills,oauth-client,open-access,quiet,races,rollback,rolling-upgrade,seed-contract,upgrade}.test.ts',
  'server/test/faults/{damaged-store,killed-nodes,moved-files,one-clerk}.test.ts',
  'server/test/store/*.test.ts',
]

/** Behavior promised for every store: run on SQLite, and again on PostgreSQL behind two nodes. */
const EVERY_STORE = ['server/test/http/*.test.ts', 'server/test/e2e/{seed-contract,errors}.test.ts']
/**
 * The same on every store, because it is decided before the store is used or by what a node keeps in memory, or is
 * tested with the test's own program or server. The contract of the stores covers the rest. `EVERY_STORE=1` runs these
 * on PostgreSQL too.
 */
const BEFORE_THE_STORE =
  'server/test/http/{access-matrix,anti-patterns,authzen,biometric-access,clock,connections,cross-origin,dangerous-calls,dashboard,downloads,event-access,external-attacks,external-verification,forged-sessions,front-line,hung-up,identity-providers,inner-limits,keyed-browsers,large-bodies,load-shedding,local-name,methods,no-row,problem-pages,request-head,trace-id,transparency,unreadable-store,validation,widget-script}.test.ts'
const RACES = 'server/test/e2e/{races,chain-races}.test.ts'

/** Tests that judge with the real nets. */
const WITH_ENGINE = '{biometrics/test/{audio,eval,pool,vision},server/test/{browser,e2e}}/*.test.ts'

/**
 * A pack is full at this many files, or when its files took this long last time. On a busy machine all files take
 * longer: there a pack is full at its share of the total, so that the machine doesn't load the service more often.
 */
const PACK_FILES = 24
const PACK_MS = 25_000
const PACKS = 64
/** Assumed for a file that has never run here. */
const UNKNOWN_MS = 2_000
const UNKNOWN_SHARED_MS = 5_000
const UNKNOWN_PROGRAM_MS = 10_000
const UNKNOWN_LONG_MS = 40_000
const UNKNOWN_LONGEST_MS = 100_000
/** Tests that judge many captures with the real nets. */
const LONGEST =
  'server/test/{browser/{widget,capture},e2e/{attack-table,coerced-capture,verification,verification-nodes}}.test.ts'
/** Tests that kill programs, fill disks, start many commands, or repeat one thing many times. */
const LONG = [
  '{biometrics/test/pool,server/test/{check,contract,faults,model,simulation}}/*.test.ts',
  'cli/test/{move,package,verify,commands/{calls,trust},mcp/{remote,stdio-guard}}.test.ts',
  '{docs/test/code-blocks,protocol/test/adding-an-endpoint}.test.ts',
  'server/test/{browser/{app,people},e2e/{cluster,erasure,hostile,media-canary-program,nodes}}.test.ts',
]

export interface Selection {
  readonly is_fast: boolean
  /** Parts of the paths to run. Empty means all. */
  readonly names: readonly string[]
}

/** Plans the jobs, longest first, so that no long one is left for the end. */
export function planOf({ is_fast, names }: Selection, durations: ReadonlyMap<string, number>): Job[] {
  const isChosen = (file: string) => names.length === 0 || names.some((name) => file.includes(name))
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: REPOSITORY, exclude: [NOT_OURS] })
      .filter(isChosen)
      .sort()
  const files = filesOf(ALL).filter((file) => !is_fast || isFast(file))
  const lengthOf = (file: string, variant?: string) =>
    durations.get(durationKey(file, variant)) ?? assumedLength(file)
  const total = files.reduce((sum, file) => sum + lengthOf(file), 0)
  const pack_ms = Math.max(PACK_MS, total / PACKS)
  const jobsOf = (chosen: readonly string[], variant?: Variant): Job[] =>
    shares(chosen)
      .flatMap((share) => packs(share, pack_ms, (file) => lengthOf(file, variant?.variant)))
      .map((pack) => ({
        files: pack,
        is_durable: !pack.every(isFast),
        needs: neededBy(pack, variant),
        ...variant,
      }))
  const onPostgres = is_fast
    ? []
    : [
        ...jobsOf(EVERY_STORE.flatMap(filesOf).filter(needsEveryStore), variantOf(2)),
        ...jobsOf(filesOf(RACES), variantOf(4)),
      ]
  const length = ({ files: own, variant }: Job) => own.reduce((sum, file) => sum + lengthOf(file, variant), 0)
  return [...jobsOf(files), ...onPostgres].sort((a, b) => length(b) - length(a))
}

function isFast(file: string): boolean {
  return FAST.some((pattern) => matchesGlob(file, pattern))
}

/** Groups files that may share a process. */
function shares(files: readonly string[]): (readonly string[])[] {
  const rowOf = (file: string) =>
    ALONE.includes(file)
      ? file
      : isFast(file)
        ? 'fast'
        : (TOGETHER.find((pattern) => matchesGlob(file, pattern)) ?? file)
  return [...Map.groupBy(files, rowOf).values()]
}

function needsEveryStore(file: string): boolean {
  return process.env.EVERY_STORE === '1' || !matchesGlob(file, BEFORE_THE_STORE)
}

function neededBy(files: readonly string[], variant: Variant | undefined): Preparation[] {
  if (files.every(isFast)) return variant === undefined ? [] : ['postgres']
  return [
    'programs',
    'postgres',
    ...(files.some((file) => matchesGlob(file, WITH_ENGINE)) ? (['engine'] as const) : []),
    ...(files.some((file) => file.startsWith('integrations/')) ? (['integrations'] as const) : []),
  ]
}

function assumedLength(file: string): number {
  if (isFast(file)) return UNKNOWN_MS
  if (TOGETHER.some((pattern) => matchesGlob(file, pattern))) return UNKNOWN_SHARED_MS
  if (matchesGlob(file, LONGEST)) return UNKNOWN_LONGEST_MS
  return LONG.some((pattern) => matchesGlob(file, pattern)) ? UNKNOWN_LONG_MS : UNKNOWN_PROGRAM_MS
}

type Variant = Required<Pick<Job, 'variant' | 'env'>>

function variantOf(nodes: number): Variant {
  return {
    variant: `on PostgreSQL, ${nodes} nodes`,
    env: { DEPUTY_TEST_STORE: 'postgres', DEPUTY_TEST_NODES: String(nodes) },
  }
}

export function durationKey(file: string, variant: string | undefined): string {
  return variant === undefined ? file : `${file} (${variant})`
}

/** Splits files into packs of about the same length. */
function packs(files: readonly string[], pack_ms: number, lengthOf: (file: string) => number): string[][] {
  const total = files.reduce((sum, file) => sum + lengthOf(file), 0)
  const count = Math.max(Math.ceil(files.length / PACK_FILES), Math.ceil(total / pack_ms))
  const made = Array.from({ length: count }, () => ({ files: [] as string[], length: 0 }))
  for (const file of [...files].sort((a, b) => lengthOf(b) - lengthOf(a))) {
    const shortest = made.reduce((best, pack) => (pack.length < best.length ? pack : best))
    shortest.files.push(file)
    shortest.length += lengthOf(file)
  }
  return made.map((pack) => pack.files).filter((pack) => pack.length > 0)
}
