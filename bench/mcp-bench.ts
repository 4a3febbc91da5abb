import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deputy, deputy, type IssuedToken } from '@deputize/sdk'
import { serverFile } from '@deputize/testing/a-guarded-client.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { CLI } from '@deputize/testing/programs.ts'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Settings } from './compare.ts'
import { type Columns, medianOf, tableOf, writeReport } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

const IN_FLIGHT = 16
const EVERYTHING = serverFile('server-everything')
const ECHO = { name: 'echo', arguments: { message: 'hello' } }
const STARTS_WITHIN_MS = 30_000

type ToolCall = () => Promise<void>

/** A call through the guard, compared with the same call without it on the same transport. */
interface CallCase {
  readonly name: string
  readonly call: ToolCall
  readonly against: string | undefined
}

/** Latency and throughput of calls, one at a time or many at once. */
interface Timed {
  readonly calls_per_s: number
  readonly p50_ms: number
  readonly p95_ms: number
}

interface Round {
  readonly alone: Timed
  readonly together: Timed
}

interface McpFigures {
  readonly name: string
  readonly alone: Timed
  readonly together: Timed
  /** Compared with the case without the guard in the same round. */
  readonly added_p50_ms: number | undefined
  readonly added_p95_ms: number | undefined
  readonly of_unguarded: number | undefined
}

type Closing = () => Promise<unknown>

/** Measures what `deputy mcp-guard` adds to a tool call, and how much of that is the service. */
export async function mcpBench(settings: Settings): Promise<void> {
  await withDirectory(async (directory) => {
    const closings: Closing[] = []
    try {
      const program = await startDeputyProgram(directory)
      closings.push(() => program.kill())
      const service = deputy({ url: program.url })
      const token = await service.issueL1({
        developer_email: 'dev@example.com',
        agent_id: 'bench-agent',
        resources: ['mcp:everything'],
        actions: ['call'],
      })
      const cases = await callCases(service, token, closings)
      for (const { call } of cases) await timedCalls(call, IN_FLIGHT, settings.warm_up_seconds)
      const figures = await mcpFigures(cases, settings)
      writeReport('mcp', { ...settings, connections: IN_FLIGHT }, { figures }, tableOf(figures, COLUMNS))
    } finally {
      for (const close of closings.reverse()) await close()
    }
  })
}

async function callCases(service: Deputy, token: IssuedToken, closings: Closing[]): Promise<CallCase[]> {
  const { compact_jwt, jti } = token
  const stdio = [process.execPath, EVERYTHING, 'stdio']
  const guard = [process.execPath, CLI, 'mcp-guard', '--url', service.url, '--server', 'everything']
  const upstream = `http://127.0.0.1:${await freePort()}/mcp`
  await listener([EVERYTHING, 'streamableHttp'], { PORT: new URL(upstream).port }, closings)
  const words = await listener(
    [...guard.slice(1), '--listen', '127.0.0.1:0', '--upstream', upstream],
    { DEPUTY_TOKEN: compact_jwt },
    closings,
  )
  const [guarded = ''] = /http:\S+/.exec(words.slice(words.indexOf('Listening'))) ?? []
  return [
    { name: 'stdio, no guard', call: await overStdio(stdio, {}, closings), against: undefined },
    {
      name: 'stdio, guarded',
      call: await overStdio([...guard, '--', ...stdio], { DEPUTY_TOKEN: compact_jwt }, closings),
      against: 'stdio, no guard',
    },
    { name: 'HTTP, no guard', call: await overHttp(upstream, closings), against: undefined },
    { name: 'HTTP, guarded', call: await overHttp(guarded, closings), against: 'HTTP, no guard' },
    { name: 'authorize and complete, by the SDK', call: pairOf(service, jti), against: undefined },
  ]
}

/** Starts a program, waits until it reports on standard error that it listens, and returns that output. */
async function listener(
  args: readonly string[],
  env: Record<string, string>,
  closings: Closing[],
): Promise<string> {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  closings.push(() => killed(child))
  let words = ''
  child.stderr.on('data', (chunk) => {
    words += chunk
  })
  for (const until = Date.now() + STARTS_WITHIN_MS; Date.now() < until; await sleep(50))
    if (/listening/i.test(words)) return words
  throw new Error(`${args.join(' ')} did not start to listen:\n${words}`)
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

async function overStdio(
  [command = '', ...args]: readonly string[],
  env: Record<string, string>,
  closings: Closing[],
): Promise<ToolCall> {
  const transport = new StdioClientTransport({
    command,
    args,
    env: { PATH: process.env.PATH ?? '', ...env },
    stderr: 'ignore',
  })
  return calling(transport, closings)
}

function overHttp(url: string, closings: Closing[]): Promise<ToolCall> {
  return calling(new StreamableHTTPClientTransport(new URL(url)), closings)
}

/** A response without the message fails the bench. */
async function calling(transport: Parameters<Client['connect']>[0], closings: Closing[]): Promise<ToolCall> {
  const client = new Client({ name: 'deputy-bench', version: '1.0.0' })
  await client.connect(transport)
  closings.push(() => client.close())
  return async () => {
    const text = JSON.stringify(await client.callTool(ECHO))
    if (!text.includes('hello') || text.includes('"isError":true'))
      throw new Error(`unexpected response: ${text}`)
  }
}

/** The two calls that the guard makes to the service for one tool call, without the guard. */
function pairOf(service: Deputy, vat_jti: string): ToolCall {
  const metadata = { mcp_server: 'everything', request: { tool: 'echo' } }
  return async () => {
    const { aar_id } = await service.authorize({
      vat_jti,
      action: 'call',
      resource: 'mcp:everything',
      metadata,
    })
    if (aar_id === undefined) throw new Error('the service denied the action')
    await service.completeRecord({ id: aar_id, result: 'success' })
  }
}

async function timedCalls(call: ToolCall, in_flight: number, seconds: number): Promise<Timed> {
  const latencies_ms: number[] = []
  const started = performance.now()
  const ends_at = started + seconds * 1000
  await Promise.all(
    Array.from({ length: in_flight }, async () => {
      while (performance.now() < ends_at) {
        const sent_at = performance.now()
        await call()
        latencies_ms.push(performance.now() - sent_at)
      }
    }),
  )
  const sorted = latencies_ms.toSorted((a, b) => a - b)
  return {
    calls_per_s: (sorted.length * 1000) / (performance.now() - started),
    p50_ms: sorted[Math.floor(sorted.length * 0.5)] ?? Number.NaN,
    p95_ms: sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
  }
}

/** Runs every case in every round, so that a slow moment of the machine affects both sides of a difference. */
async function mcpFigures(cases: readonly CallCase[], settings: Settings): Promise<McpFigures[]> {
  const rounds: Map<string, Round>[] = []
  for (let round = 0; round < settings.rounds; round++) {
    const measured = new Map<string, Round>()
    for (const { name, call } of cases) {
      const alone = await timedCalls(call, 1, settings.seconds / 2)
      measured.set(name, { alone, together: await timedCalls(call, IN_FLIGHT, settings.seconds / 2) })
    }
    rounds.push(measured)
    process.stderr.write(`round ${round + 1}/${settings.rounds}\n`)
  }
  return cases.map(({ name, against }) => figuresFor(name, against, rounds))
}

function figuresFor(
  name: string,
  against: string | undefined,
  rounds: readonly Map<string, Round>[],
): McpFigures {
  const seen = (of: string, value: (round: Round) => number) =>
    rounds.map((round) => {
      const one = round.get(of)
      return one === undefined ? Number.NaN : value(one)
    })
  const compared = (value: (round: Round) => number, how: (mine: number, other: number) => number) => {
    if (against === undefined) return undefined
    const others = seen(against, value)
    return medianOf(seen(name, value).map((mine, at) => how(mine, others[at] ?? Number.NaN)))
  }
  const middle = (which: keyof Round): Timed => ({
    calls_per_s: medianOf(seen(name, (round) => round[which].calls_per_s)),
    p50_ms: medianOf(seen(name, (round) => round[which].p50_ms)),
    p95_ms: medianOf(seen(name, (round) => round[which].p95_ms)),
  })
  const difference = (mine: number, other: number) => mine - other
  return {
    name,
    alone: middle('alone'),
    together: middle('together'),
    added_p50_ms: compared(({ alone }) => alone.p50_ms, difference),
    added_p95_ms: compared(({ alone }) => alone.p95_ms, difference),
    of_unguarded: compared(
      ({ together }) => together.calls_per_s,
      (mine, other) => mine / other,
    ),
  }
}

const COLUMNS: Columns<McpFigures> = {
  'echo, called by the official client': ({ name }) => name,
  'alone p50 ms': ({ alone }) => alone.p50_ms.toFixed(2),
  'alone p95 ms': ({ alone }) => alone.p95_ms.toFixed(2),
  'added p50 ms': ({ added_p50_ms }) => added_p50_ms?.toFixed(2) ?? '',
  'added p95 ms': ({ added_p95_ms }) => added_p95_ms?.toFixed(2) ?? '',
  [`${IN_FLIGHT} in flight, calls/s`]: ({ together }) => together.calls_per_s.toFixed(0),
  'p50 ms': ({ together }) => together.p50_ms.toFixed(1),
  'p95 ms': ({ together }) => together.p95_ms.toFixed(1),
  'of unguarded': ({ of_unguarded }) => of_unguarded?.toFixed(2) ?? '',
}
