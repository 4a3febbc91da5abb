import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Program } from '@deputize/testing/program.ts'
import { type BenchIdentity, type Case, prepareIdentities, processCase, recordCase } from './cases.ts'
import { alternate, type Figures, leastToMost, type Settings } from './compare.ts'
import type { ReaderMessage, ReaderReport } from './event-readers.ts'
import { startGenerator } from './load.ts'
import { threadTimes_us } from './processor-time.ts'
import { type Columns, tableOf, writeReport } from './report.ts'
import { pathOf, startDeputyProgram, withDirectory } from './servers.ts'

const FOLLOWERS = 100
const BARE = 'record/action, nobody follows'
/** Readers and receivers represent other machines, so they get only the processor time that the service leaves. */
const LOWER_PRIORITY = 10
/** What is in transit when a measurement ends arrives within this time. */
const ARRIVAL_MS = 1_500
/** The longest wait for events that are still to be sent. */
const MOST_SETTLING_MS = 15_000

/** The events that 100 streams and 100 webhooks subscribe to. */
interface Followers {
  readonly name: string
  readonly queries: (identities: readonly BenchIdentity[]) => readonly string[]
  readonly webhook: (identity: BenchIdentity) => object
}

const OTHER_EVENTS = ['action.denied', 'approval.requested']

const FOLLOWERS_OF: readonly Followers[] = [
  {
    name: 'other events',
    queries: () => Array(FOLLOWERS).fill(`?${OTHER_EVENTS.map((type) => `type=${type}`).join('&')}`),
    webhook: () => ({ events: OTHER_EVENTS }),
  },
  {
    name: 'one agent each',
    queries: (identities) => identities.map(({ agent_id }) => `?agent_id=${encodeURIComponent(agent_id)}`),
    webhook: ({ agent_id }) => ({ events: ['*'], agent_id }),
  },
  {
    name: 'everything',
    queries: () => Array(FOLLOWERS).fill(''),
    webhook: () => ({ events: ['*'] }),
  },
]

/** The load, as a share of what the service can do without followers. */
const LOADS = { 'flat out': undefined, 'half load': 0.5 } as const

/**
 * Measures what followers cost, next to the same service without any: record/action with 100 streams and 100 webhooks
 * that follow other events, one agent each (which is two events of five), or everything. First at full speed, then at
 * half the speed that it reaches without followers: only then do latencies show how long one call takes. Also measures
 * how many events are sent, and how late they arrive.
 */
export async function eventsBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const generator = startGenerator()
    const bare = await startDeputyProgram(directory, { data: 'bare' })
    const chosen = FOLLOWERS_OF.filter(
      ({ name }) => settings.only.length === 0 || settings.only.includes(name),
    )
    const followed: FollowedProgram[] = []
    try {
      for (const followers of chosen) followed.push(await startFollowed(directory, followers))
      const meter = new ThreadMeter(bare)
      const floor = bareCase(bare, meter, await prepareIdentities(bare.url))
      const rows: LoadedFigures[] = []
      const lines: string[] = []
      let capacity = Number.NaN
      for (const [load, share] of Object.entries(LOADS)) {
        const rate = share === undefined ? {} : { rate: capacity * share }
        const cases = followed.map((one) => ({ ...one.case, ...rate }))
        const figures = await alternate(generator, { ...floor, ...rate }, cases, settings)
        if (share === undefined) capacity = figures[0]?.requests_per_s ?? Number.NaN
        const bare_p50_ms = figures[0]?.p50_ms ?? Number.NaN
        rows.push(...figures.map((one) => ({ ...one, load, bare_p50_ms })))
        lines.push(`${load}, nobody: ${meter.report()}`)
        for (const one of followed) lines.push(`${load}, ${await one.report()}`)
        if (share === undefined) for (const one of followed) await one.settle()
      }
      process.stdout.write(`${lines.join('\n')}\n`)
      writeReport('events', settings, { rows, lines }, tableOf(rows, COLUMNS), lines)
    } finally {
      generator.stop()
      freeze(bare, false)
      await bare.kill()
      for (const one of followed) await one.stop()
    }
  })
}

interface LoadedFigures extends Figures {
  readonly load: string
  readonly bare_p50_ms: number
}

/** Frozen while others are measured, like the others. */
function bareCase(bare: Program, meter: ThreadMeter, identities: readonly BenchIdentity[]): Case {
  freeze(bare, true)
  return {
    ...processCase(bare, recordCase(BARE, bare.url, identities)),
    during: {
      async begin() {
        freeze(bare, false)
        meter.begin()
      },
      async end(answered) {
        meter.end(answered)
        freeze(bare, true)
      },
    },
  }
}

/** Measures the cost of a record in the threads that answer calls and write, and what the delivery thread uses. */
class ThreadMeter {
  readonly #pid: number
  #begun = { ordinary: 0, behind: 0 }
  #used = { ordinary: 0, behind: 0 }
  #records = 0

  constructor({ process }: Program) {
    this.#pid = process.pid ?? 0
  }

  begin(): void {
    this.#begun = threadTimes_us(this.#pid)
  }

  end(answered: number): void {
    const now = threadTimes_us(this.#pid)
    this.#used.ordinary += now.ordinary - this.#begun.ordinary
    this.#used.behind += now.behind - this.#begun.behind
    this.#records += answered
  }

  /** The time used since the last report. */
  report(): string {
    const { ordinary, behind } = this.#used
    const records = this.#records
    this.#used = { ordinary: 0, behind: 0 }
    this.#records = 0
    const each = (used_us: number) => `${(used_us / records).toFixed(0)} us`
    return `${each(ordinary)} for a record, and ${each(behind)} of the delivery thread`
  }
}

interface FollowedProgram {
  readonly case: Case
  report(): Promise<string>
  /** Waits until streams have received what was to be sent, but at most some seconds. */
  settle(): Promise<void>
  stop(): Promise<void>
}

async function startFollowed(
  directory: string,
  { name, queries, webhook }: Followers,
): Promise<FollowedProgram> {
  const receiver = startHelper('./hook-receiver.ts')
  const [port] = (await once(receiver, 'message')) as [number] // its first message
  const program = await startDeputyProgram(directory, {
    data: name,
    env: { DEPUTY_OUTBOUND_ALLOW: `127.0.0.1:${port}` },
  })
  const identities = await prepareIdentities(program.url)
  const some = identities.slice(0, FOLLOWERS)
  for (const identity of some) await createWebhook(program.url, port, webhook(identity))
  const readers = startHelper('./event-readers.ts')
  const tellReaders = (message: ReaderMessage) => readers.send(message)
  tellReaders({ url: program.url, queries: queries(some) })
  await sleep(ARRIVAL_MS)
  const meter = new ThreadMeter(program)
  let took_ms = 0
  let begun_ms = 0
  freeze(program, true)
  return {
    case: {
      ...processCase(
        program,
        recordCase(`${FOLLOWERS} streams and webhooks of ${name}`, program.url, identities),
      ),
      during: {
        async begin() {
          freeze(program, false)
          tellReaders('begin')
          meter.begin()
          begun_ms = performance.now()
        },
        // While others are measured it is frozen, even if it hasn't sent everything yet.
        async end(answered) {
          meter.end(answered)
          took_ms += performance.now() - begun_ms
          await sleep(ARRIVAL_MS)
          freeze(program, true)
        },
      },
    },
    async report() {
      const { events, bytes, latencies_ms } = await answerOf<ReaderReport>(readers)
      const sent = await answerOf<number>(receiver)
      const seconds = took_ms / 1000
      took_ms = 0
      return `${name}: ${meter.report()}; streams ${rate(events, seconds)} events/s and ${rate(bytes / 1e6, seconds)} MB/s, ${lateness(latencies_ms)}; webhooks ${rate(sent, seconds)} messages/s`
    },
    async settle() {
      freeze(program, false)
      for (let waited_ms = 0; waited_ms < MOST_SETTLING_MS; waited_ms += ARRIVAL_MS) {
        await sleep(ARRIVAL_MS)
        const { events } = await answerOf<ReaderReport>(readers)
        if (events < FOLLOWERS) break // heartbeats
      }
      await answerOf<number>(receiver)
      freeze(program, true)
    },
    async stop() {
      freeze(program, false)
      readers.kill()
      receiver.kill()
      await program.kill()
    },
  }
}

function freeze({ process }: Program, isFrozen: boolean): void {
  process.kill(isFrozen ? 'SIGSTOP' : 'SIGCONT')
}

function startHelper(file: string): ChildProcess {
  const child = fork(pathOf(file))
  if (child.pid !== undefined) setPriority(child.pid, LOWER_PRIORITY)
  return child
}

async function answerOf<Answer>(child: ChildProcess): Promise<Answer> {
  child.send('report')
  const [answer] = (await once(child, 'message')) as [Answer] // each helper answers this with one message
  return answer
}

async function createWebhook(url: string, port: number, wants: object): Promise<void> {
  const body = JSON.stringify({ url: `http://127.0.0.1:${port}/`, ...wants })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${url}/v1/vat/webhooks`, { method: 'POST', headers, body })
  if (!answer.ok) throw new Error(await answer.text())
}

function rate(count: number, seconds: number): string {
  return (count / seconds).toFixed(0)
}

function lateness(latencies_ms: readonly number[]): string {
  const sorted = latencies_ms.toSorted((a, b) => a - b)
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
  return `p50 ${at(0.5)} ms and p99 ${at(0.99)} ms after their time in the log (${sorted.length} measured)`
}

const COLUMNS: Columns<LoadedFigures> = {
  load: ({ load }) => load,
  case: ({ name }) => name,
  'requests/s': ({ requests_per_s }) => requests_per_s.toFixed(0),
  'p50 ms': ({ p50_ms }) => p50_ms.toFixed(1),
  'p50 of nobody': ({ p50_ms, bare_p50_ms }) => (p50_ms / bare_p50_ms).toFixed(2),
  'p99 ms': ({ p99_ms }) => p99_ms.toFixed(1),
  'of nobody': ({ of_floor }) => of_floor.median.toFixed(2),
  'least to most': ({ of_floor }) => leastToMost(of_floor),
  'processor us': ({ processor_us }) => processor_us.toFixed(0),
}
