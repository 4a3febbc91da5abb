import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { REPOSITORY } from '../source-imports.ts'
import type { Job } from './job.ts'

/** Everything that tests rules, stores, HTTP, protocol and SDK without starting programs. */
const FAST = [
  'protocol/test/generated.test.ts',
  'protocol/test/*/*.test.ts',
  'biometrics/test/rules/*.test.ts',
  'testing/test/*.test.ts',
  'web/test/*.test.ts',
  'docs/test/{citus,pages,settings,threats}.test.ts',
  'cli/test/{progress-bar,terminal}.test.ts',
  'sdk/node/test/{imports,late-answers,operations,remembered-tokens,together}.test.ts',
  'server/test/*.test.ts',
  'server/test/keys/key-ring.test.ts',
  'server/test/model/model.test.ts',
  'server/test/{access,clerk,domain,http,log,operations,outbound,verification}/*.test.ts',
  'server/test/contract/{sqlite,workflow-leaves}.test.ts',
  'server/test/store/{seal-existing,vault}.test.ts',
]
const ALL = '{protocol,biometrics,testing,server,cli,docs,sdk,web,integrations}/**/*.test.ts'
const NOT_OURS = '**/{node_modules,dist}/**'

/** Start programs, change the state of their process, or take all their tests from a contract. Each has its own process. */
const ALONE = ['testing/test/runner.test.ts', 'server/test/contract/sqlite.test.ts']

/** Promised by every store: run on SQLite, and once more on PostgreSQL behind two nodes. */
const EVERY_STORE = ['server/test/http/*.test.ts', 'server/test/e2e/{seed-contract,errors}.test.ts']
const RACES = 'server/test/e2e/{races,chain-races}.test.ts'

/** Judge with the real nets. */
const WITH_ENGINE = '{biometrics/test/{audio,eval,pool,vision},server/test/{browser,e2e}}/*.test.ts'

/** A pack is full at this many files, or when its files took this long last time. */
const PACK_FILES = 12
const PACK_MS = 25_000
/** Assumed for a file that has never run here. */
const UNKNOWN_MS = 2_000
const UNKNOWN_PROGRAM_MS = 10_000
const UNKNOWN_LONG_MS = 40_000
/** Kill programs, fill disks, or repeat one thing many times. */
const LONG = '{biometrics/test/pool,server/test/{check,contract,faults,model}}/*.test.ts'

export interface Selection {
  readonly is_fast: boolean
  /** Parts of the paths to run. Empty means all. */
  readonly names: readonly string[]
}

export interface Plan {
  /** The longest first, so that no long one is left for the end. */
  readonly jobs: readonly Job[]
  readonly needs_postgres: boolean
  readonly needs_integrations: boolean
  /** Whether tests start the service or the command. */
  readonly needs_programs: boolean
  /** Whether tests judge pictures and sound. */
  readonly needs_engine: boolean
}

export function planOf({ is_fast, names }: Selection, durations: ReadonlyMap<string, number>): Plan {
  const isChosen = (file: string) => names.length === 0 || names.some((name) => file.includes(name))
  const filesOf = (pattern: string) =>
    globSync(pattern, { cwd: REPOSITORY, exclude: [NOT_OURS] })
      .filter(isChosen)
      .sort()
  const isFast = (file: string) => FAST.some((pattern) => matchesGlob(file, pattern))
  const isAlone = (file: string) => !isFast(file) || ALONE.includes(file)

  const files = filesOf(ALL).filter((file) => !is_fast || isFast(file))
  const lengthOf = (file: string, variant?: string) =>
    durations.get(durationKey(file, variant)) ?? assumedLength(file, isAlone(file))
  const jobsOf = (chosen: readonly string[], variant?: Variant): Job[] => [
    ...chosen.filter(isAlone).map((file) => ({ files: [file], is_durable: !isFast(file), ...variant })),
    ...packs(
      chosen.filter((file) => !isAlone(file)),
      (file) => lengthOf(file, variant?.variant),
    ).map((pack) => ({ files: pack, is_durable: false, ...variant })),
  ]
  const onPostgres = is_fast
    ? []
    : [
        ...jobsOf(EVERY_STORE.flatMap(filesOf), variantOf(2)),
        ...jobsOf(filesOf(RACES), variantOf(2)),
        ...jobsOf(filesOf(RACES), variantOf(4)),
      ]
  const length = ({ files: own, variant }: Job) => own.reduce((sum, file) => sum + lengthOf(file, variant), 0)
  return {
    jobs: [...jobsOf(files), ...onPostgres].sort((a, b) => length(b) - length(a)),
    needs_postgres: !is_fast,
    needs_programs: !is_fast,
    needs_engine: files.some((file) => matchesGlob(file, WITH_ENGINE)),
    needs_integrations: files.some((file) => file.startsWith('integrations/')),
  }
}

function assumedLength(file: string, isAlone: boolean): number {
  if (!isAlone) return UNKNOWN_MS
  return matchesGlob(file, LONG) ? UNKNOWN_LONG_MS : UNKNOWN_PROGRAM_MS
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
function packs(files: readonly string[], lengthOf: (file: string) => number): string[][] {
  const total = files.reduce((sum, file) => sum + lengthOf(file), 0)
  const count = Math.max(Math.ceil(files.length / PACK_FILES), Math.ceil(total / PACK_MS))
  const made = Array.from({ length: count }, () => ({ files: [] as string[], length: 0 }))
  for (const file of [...files].sort((a, b) => lengthOf(b) - lengthOf(a))) {
    const shortest = made.reduce((best, pack) => (pack.length < best.length ? pack : best))
    shortest.files.push(file)
    shortest.length += lengthOf(file)
  }
  return made.map((pack) => pack.files).filter((pack) => pack.length > 0)
}
