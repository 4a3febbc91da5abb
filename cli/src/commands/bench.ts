import { type AgentKey, type Deputy, deputy, isDeputyError, newAgentKey, tokenVerifier } from '@deputize/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { print } from '../client/call-command.ts'
import { type Connected, connect } from '../client/connection.ts'
import { addConnectionOptions, type ConnectionOptions } from '../client/connection-options.ts'
import { UsageError } from '../client/exit.ts'
import { callingCommand, running } from '../client/running.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { addHelpParagraph } from '../help-layout.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { type Bounds, type Measured, measureCalls } from './bench/measure.ts'

interface BenchOptions extends ConnectionOptions {
  readonly seconds: number
  readonly calls?: number
  readonly connections: number
  readonly yes?: boolean
}

const BENCH_ACTION = { action: 'work', resource: 'bench:work' }
const BAR_CELLS = 24

const BENCH_HELP =
  'Acts as the agent deputy-bench on bench:work, with a token that is revoked at the end. In keyed mode, pass the API key of a developer. The load generator runs on this machine, so its speed affects the results.'

/** `deputy bench`: measures a running deployment from this machine. */
export function addBenchCommand(program: Command): void {
  const command = callingCommand(program, 'bench', 'measure a running deployment from this machine')
    .option('--seconds <number>', 'how long to measure each kind of call', numberBetween(0.1, 600), 5)
    .option('--calls <number>', 'maximum number of calls of each kind', numberBetween(1, 10_000_000))
    .option('--connections <number>', 'concurrent calls', numberBetween(1, 512), 16)
    .option('--yes', 'confirm that the benchmark writes permanent log entries')
  addHelpParagraph(command, BENCH_HELP)
  addConnectionOptions(command).action((options: BenchOptions) =>
    running(options, async () => {
      if (options.yes !== true)
        throw new UsageError(
          'A benchmark writes as many action records as it can, and log entries are permanent. Pass --yes to run it.',
        )
      return bench(await connect(options), options)
    }),
  )
}

async function bench(connected: Connected, options: BenchOptions): Promise<ExitCode> {
  const { client } = connected
  const stop = new AbortController()
  const interrupt = () => stop.abort()
  process.once('SIGINT', interrupt)
  process.once('SIGTERM', interrupt)
  const { access } = await client.getDeployment()
  const worker = await aWorker(client, access === 'open', options)
  try {
    const measured = await measureAll(worker, options, stop.signal)
    const { url } = client
    const answer = { url, access, connections: options.connections, is_whole: !stop.signal.aborted, measured }
    print(options, answer, () => benchTable(measured, screenOf(process.stdout, process.env)))
    return stop.signal.aborted ? EXIT.interrupted : EXIT.done
  } finally {
    await client.revokeToken({ vat_jti: worker.jti, reason: 'The benchmark has ended' })
    process.off('SIGINT', interrupt)
    process.off('SIGTERM', interrupt)
  }
}

interface Worker {
  readonly client: Deputy
  readonly jti: string
  readonly compact_jwt: string
  readonly provenance_ref: string
}

/** The measured agent. Its token expires soon, in case it cannot be revoked. */
async function aWorker(client: Deputy, isOpen: boolean, { seconds, json }: BenchOptions): Promise<Worker> {
  const agent_key = isOpen ? undefined : await newAgentKey()
  const issued = await client
    .issueL1({
      developer_email: 'bench@example.com',
      agent_id: 'deputy-bench',
      resources: ['bench:*'],
      actions: [BENCH_ACTION.action],
      purpose: 'deputy bench',
      expires_in: Math.ceil(seconds) * 4 + 120,
      ...(agent_key !== undefined && { agent_jwk: agent_key.jwk }),
    })
    .catch((error: unknown) => {
      if (json !== true && isDeputyError(error, 'role_not_allowed'))
        process.stderr.write(
          'A benchmark needs a token, and only the API key of a developer can issue one.\n',
        )
      throw error
    })
  return { ...issued, client: clientOf(client.url, issued.compact_jwt, agent_key) }
}

/** Failed calls are counted, not repeated. */
function clientOf(url: string, token: string, agent_key: AgentKey | undefined): Deputy {
  return deputy({ url, retries: 0, ...(agent_key !== undefined && { token, agent_key }) })
}

async function measureAll(worker: Worker, options: BenchOptions, signal: AbortSignal): Promise<Measured[]> {
  const { client, jti, compact_jwt, provenance_ref } = worker
  const verifier = tokenVerifier({ url: client.url, revocations: false })
  const works: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['authorize and complete', () => authorizeAndComplete(client, jti)],
    ['record', () => client.recordAction({ ...BENCH_ACTION, vat_jti: jti, result: 'success' })],
    ['summary', () => client.getProvenance({ ref: provenance_ref })],
    ['verify known token', () => verifier.verify(compact_jwt)],
  ]
  const bounds: Bounds = {
    seconds: options.seconds,
    calls: options.calls,
    connections: options.connections,
  }
  const line = progressLine(process.stderr)
  const measured: Measured[] = []
  for (const [name, work] of works) {
    if (signal.aborted) break
    await work() // opens connections and loads keys before the measurement
    const progress = (share: number) => line.show(`${barOf(share)} ${name}`)
    measured.push(await measureCalls({ name, work, bounds, signal, progress }))
  }
  line.clear()
  return measured
}

async function authorizeAndComplete(client: Deputy, vat_jti: string): Promise<void> {
  const { aar_id } = await client.authorize({ ...BENCH_ACTION, vat_jti })
  if (aar_id === undefined) throw new Error('The service denied the action of the benchmark.')
  await client.completeRecord({ id: aar_id, result: 'success' })
}

function barOf(share: number): string {
  return '█'.repeat(Math.floor(share * BAR_CELLS)).padEnd(BAR_CELLS, '░')
}

function benchTable(measured: readonly Measured[], screen: Screen): string {
  const ms = (value: number) => `${value} ms`
  return table(
    [
      { title: 'call', cell: ({ name }) => name },
      { title: 'per second', cell: ({ per_second }) => per_second.toLocaleString('en'), whole: true },
      { title: 'p50', cell: ({ p50_ms }) => ms(p50_ms), whole: true },
      { title: 'p95', cell: ({ p95_ms }) => ms(p95_ms), whole: true },
      { title: 'p99', cell: ({ p99_ms }) => ms(p99_ms), whole: true },
      { title: 'calls', cell: ({ calls }) => calls.toLocaleString('en'), whole: true },
      { title: 'failed', cell: ({ failed }) => String(failed), whole: true },
    ],
    measured,
    screen,
  )
}

function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }
}
