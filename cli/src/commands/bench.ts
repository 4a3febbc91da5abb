import { type AgentKey, type Deputy, deputy, isDeputyError, newAgentKey, tokenVerifier } from '@deputize/sdk'
import { type Command, InvalidArgumentError } from 'commander'
import { print } from '../client/call-command.ts'
import {
  addConnectionOptions,
  type ConnectionOptions,
  type Contact,
  contactWith,
} from '../client/connection.ts'
import { EXIT, type ExitCode, UsageError } from '../client/exit.ts'
import { callingCommand, EXIT_INTERRUPTED, running } from '../client/running.ts'
import { progressLine } from '../terminal/progress-line.ts'
import { type Screen, screenOf } from '../terminal/screen.ts'
import { table } from '../terminal/table.ts'
import { type Bounds, type Measured, measure } from './bench/measure.ts'

interface BenchOptions extends ConnectionOptions {
  readonly seconds: number
  readonly calls?: number
  readonly connections: number
  readonly yes?: boolean
}

const ACTION = { action: 'work', resource: 'bench:work' }
const WIDTH = 24

/** `deputy bench`: how fast this deployment is, seen from here. */
export function addBenchCommand(program: Command): void {
  const command = callingCommand(program, 'bench', 'measure a running deployment from here')
    .option('--seconds <number>', 'how long to measure each kind of call', readFrom(0.1, 600), 5)
    .option('--calls <number>', 'how many calls of each kind at most', readFrom(1, 10_000_000))
    .option('--connections <number>', 'how many calls at once', readFrom(1, 512), 16)
    .option('--yes', 'yes, write records: they are part of the log for ever')
    .addHelpText(
      'after',
      [
        '',
        'It acts as the agent deputy-bench on bench:work, with a token of its own that is revoked at the end.',
        'In keyed mode it takes the API key of a developer. This machine is part of what is measured.',
      ].join('\n'),
    )
  addConnectionOptions(command).action((options: BenchOptions) =>
    running(options, async () => {
      if (options.yes !== true)
        throw new UsageError(
          'A benchmark writes records, as many as there is time for, and what is in the log stays there. Say --yes if that is meant.',
        )
      return bench(await contactWith(options), options)
    }),
  )
}

async function bench(contact: Contact, options: BenchOptions): Promise<ExitCode | typeof EXIT_INTERRUPTED> {
  const { client } = contact
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
    return stop.signal.aborted ? EXIT_INTERRUPTED : EXIT.done
  } finally {
    await client.revokeToken({ vat_jti: worker.jti, reason: 'The benchmark is over' })
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

/** The agent that is measured, with a token that ends soon also when nobody can revoke it. */
async function aWorker(client: Deputy, isOpen: boolean, { seconds, json }: BenchOptions): Promise<Worker> {
  const agent_key = isOpen ? undefined : await newAgentKey()
  const issued = await client
    .issueL1({
      developer_email: 'bench@example.com',
      agent_id: 'deputy-bench',
      resources: ['bench:*'],
      actions: [ACTION.action],
      purpose: 'deputy bench',
      expires_in: Math.ceil(seconds) * 4 + 120,
      ...(agent_key !== undefined && { agent_jwk: agent_key.jwk }),
    })
    .catch((error: unknown) => {
      if (json !== true && isDeputyError(error, 'role_not_allowed'))
        process.stderr.write('A benchmark needs a token, and only the key of a developer may ask for one.\n')
      throw error
    })
  return { ...issued, client: clientOf(client.url, issued.compact_jwt, agent_key) }
}

/** A call that failed is told, not made again. */
function clientOf(url: string, token: string, agent_key: AgentKey | undefined): Deputy {
  return deputy({ url, retries: 0, ...(agent_key !== undefined && { token, agent_key }) })
}

async function measureAll(worker: Worker, options: BenchOptions, signal: AbortSignal): Promise<Measured[]> {
  const { client, jti, compact_jwt, provenance_ref } = worker
  const verifier = tokenVerifier({ url: client.url, revocations: false })
  const works: readonly (readonly [string, () => Promise<unknown>])[] = [
    ['ask and complete', () => authorizeAndComplete(client, jti)],
    ['record', () => client.recordAction({ ...ACTION, vat_jti: jti, result: 'success' })],
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
    await work() // connections and keys are there from now on
    const progress = (share: number) => line.show(`${barOf(share)} ${name}`)
    measured.push(await measure({ name, work, bounds, signal, progress }))
  }
  line.clear()
  return measured
}

async function authorizeAndComplete(client: Deputy, vat_jti: string): Promise<void> {
  const { aar_id } = await client.authorize({ ...ACTION, vat_jti })
  if (aar_id === undefined) throw new Error('the service did not allow what the benchmark does')
  await client.completeRecord({ id: aar_id, result: 'success' })
}

function barOf(share: number): string {
  return '█'.repeat(Math.floor(share * WIDTH)).padEnd(WIDTH, '░')
}

function benchTable(measured: readonly Measured[], screen: Screen): string {
  const ms = (value: number) => `${value} ms`
  return table(
    [
      { title: 'what', cell: ({ name }) => name },
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

function readFrom(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && number >= least && number <= most) return number
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`)
  }
}
