/** Records the examples of the documentation from a run of the service, and prints them as JSON. */
import { setTimeout } from 'node:timers/promises'
import { OPERATIONS, type OperationId } from '@deputize/protocol'
import { aProvider, type TestProvider } from '@deputize/testing/a-provider.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { TestScope } from '@deputize/testing/scope.ts'
import type { Example } from '../src/api/example.ts'
import { recorder } from './recorder.ts'
import { seedRandom } from './seeded-random.ts'
import { playKeyed, playOpen } from './story.ts'

/** References to people depend on the address of their provider. */
const PROVIDER_PORT = 28_420
const PORT_WAIT_MS = 120_000

/** Records an example of every operation, with the same bytes every time. */
async function recordExamples(): Promise<string> {
  const cleanings: (() => void | Promise<void>)[] = []
  const scope = { after: (clean: () => void | Promise<void>) => void cleanings.unshift(clean) }
  const examples = new Map<OperationId, Example>()
  const clock = manualClock()
  try {
    const provider = await providerAt(PROVIDER_PORT, scope, clock)
    const providers = [{ name: 'company', issuer: provider.issuer, client_id: 'deputy-client' }]
    const open = await aTestApp(scope, {
      providers,
      clock,
      engine: anActedEngine(),
      vitals: someVitals(clock()),
    })
    await playOpen({ service: open, play: recorder(open, examples) }, provider)
    const keyed = await aTestApp(scope, { access: 'keyed', clock })
    await playKeyed({ service: keyed, play: recorder(keyed, examples) })
    return published(examples, provider.issuer)
  } finally {
    for (const clean of cleanings) await clean()
  }
}

/** The measurements of a small service, the same in every recording. */
function someVitals(now: number) {
  const minute = {
    start_ms: now - 60_000,
    commits: 214,
    commands: 391,
    failures: 0,
    p50_ms: 1.11,
    p99_ms: 4.23,
    most_waiting: 12,
    memory_bytes: 141_557_760,
  }
  const disk = { free_bytes: 48_318_382_080, total_bytes: 107_374_182_400 }
  return {
    started_at_ms: now - 3_600_000,
    commits: () => [minute],
    lastBackup: () => undefined,
    machine: async () => ({ memory_bytes: 142_606_336, disk }),
  }
}

/** Waits while another recording uses the port. */
async function providerAt(port: number, scope: TestScope, clock: () => number): Promise<TestProvider> {
  const give_up_at = performance.now() + PORT_WAIT_MS
  for (;;) {
    try {
      return await aProvider(scope, clock, { port })
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
      if (!isBusy || performance.now() > give_up_at) throw error
      await setTimeout(200)
    }
  }
}

/** In the order of the operations, with an address that a provider could have. */
function published(examples: ReadonlyMap<OperationId, Example>, issuer: string): string {
  const ids = Object.keys(OPERATIONS) as OperationId[] // the names are the keys of the table
  const missing = ids.filter((id) => !examples.has(id))
  if (missing.length > 0)
    throw new Error(`protocol/build/story.ts does not call ${missing.join(', ')}. Add a call of each.`)
  const text = JSON.stringify(Object.fromEntries(ids.map((id) => [id, examples.get(id)])))
  return text
    .replaceAll(issuer, 'https://login.example.com')
    .replaceAll(encodeURIComponent(issuer), encodeURIComponent('https://login.example.com'))
}

seedRandom('examples')
process.stdout.write(`${await recordExamples()}\n`)
