import { parseArgs } from 'node:util'
import { auditBench } from './audit-bench.ts'
import { capturesBench } from './captures-bench.ts'
import { compare, type Settings } from './compare.ts'
import { dashboardBench } from './dashboard-bench.ts'
import { distanceBench } from './distance-bench.ts'
import { eventsBench } from './events-bench.ts'
import { growth } from './growth.ts'
import { guardsBench } from './guards-bench.ts'
import { keyedBench } from './keyed-bench.ts'
import { logBench } from './log-bench.ts'
import { mcpBench } from './mcp-bench.ts'
import { overloadBench } from './overload-bench.ts'
import { postgresBench } from './postgres-bench.ts'
import { postgresGrowth } from './postgres-growth.ts'
import { profile } from './profile.ts'
import { verifyBench } from './verify-bench.ts'

const USAGE = `npm run bench -- [options]

  --seconds <n>       length of one measurement (2); the floor beside it takes half of that
  --rounds <n>        measurements of each case (9, with --growth 3)
  --connections <n>   keep-alive connections (64)
  --only <case>       this case and the floor; may be repeated
  --quick             about 20 seconds in all, for a first look
  --growth            how figures change with 10^4, 10^5 and 10^6 records; with --postgres up to 5 x 10^6
  --minutes <n>       when --growth --postgres stops filling (60)
  --log               what the public log costs, and how fast it is read and checked
  --keyed             what it costs to prove who is calling
  --guards            what a guard costs a route: Express, Fastify and Hono, asking the service and offline
  --verify            offline verifications of tokens a second, beside jose
  --captures          captures a minute and core, a full queue, and what record/action loses beside them
  --dashboard         how fast every screen of the dashboard opens and scrolls over a large store
  --audit             memory to make and to verify an audit pack of one large workflow
  --events            what 100 streams and 100 webhooks cost record/action, and how late events arrive
  --overload          how long calls take, and how fast others are refused, at up to three times the load
  --mcp               what deputy mcp-guard adds to a call of a tool
  --postgres          PostgreSQL with one node and with two, beside SQLite and two naive services on PostgreSQL
  --distance          one node on PostgreSQL, up to 20 ms away from it
  --profile           where the time of record/action goes, or of the case named by --only; also with --postgres
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      connections: { type: 'string' },
      minutes: { type: 'string' },
      only: { type: 'string', multiple: true },
      quick: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      log: { type: 'boolean', default: false },
      keyed: { type: 'boolean', default: false },
      guards: { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      captures: { type: 'boolean', default: false },
      events: { type: 'boolean', default: false },
      dashboard: { type: 'boolean', default: false },
      audit: { type: 'boolean', default: false },
      mcp: { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
      postgres: { type: 'boolean', default: false },
      distance: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return void process.stdout.write(USAGE)
  const settings: Settings = {
    seconds: positive('seconds', values.seconds, values.quick ? 0.6 : 2),
    rounds: positive('rounds', values.rounds, values.quick ? 2 : values.growth ? 3 : 9),
    connections: positive('connections', values.connections, 64),
    warm_up_seconds: values.quick ? 0.5 : 2,
    only: values.only ?? [],
  }
  if (values.log) return logBench(settings)
  if (values.keyed) return keyedBench(settings)
  if (values.guards) return guardsBench(settings, values.profile)
  if (values.verify) return verifyBench(settings)
  if (values.captures) return capturesBench(settings)
  if (values.events) return eventsBench(settings)
  if (values.dashboard) return dashboardBench()
  if (values.audit) return auditBench()
  if (values.overload) return overloadBench(settings)
  if (values.mcp) return mcpBench(settings)
  if (values.distance) return distanceBench(settings)
  if (values.profile) return profile(settings, values.postgres)
  if (values.growth && values.postgres)
    return postgresGrowth(settings, positive('minutes', values.minutes, 60))
  if (values.growth) return growth(settings)
  if (values.postgres) return postgresBench(settings)
  return compare(settings)
}

function positive(name: string, given: string | undefined, otherwise: number): number {
  const value = given === undefined ? otherwise : Number(given)
  if (value > 0) return value
  throw new Error(`--${name} must be a number above 0`)
}

try {
  await main()
} catch (error) {
  process.stderr.write(`\nThe bench failed: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
