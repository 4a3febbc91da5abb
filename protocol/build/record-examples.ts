/** Records the examples of the documentation from a run of the service, and prints them as JSON. */
import { OPERATIONS, type OperationId } from '@deputize/protocol'
import { aProvider } from '@deputize/testing/a-provider.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { manualClock } from '@deputize/testing/manual-clock.ts'
import type { Example } from '../src/api/example.ts'
import { recorder } from './recorder.ts'
import { seedRandom } from './seeded-random.ts'
import { playKeyed, playOpen } from './story.ts'

/** References to people depend on the address of their provider. */
const PROVIDER_PORT = 48_420

/** Every operation with its example. The same bytes every time. */
async function recordExamples(): Promise<string> {
  const cleanings: (() => void | Promise<void>)[] = []
  const scope = { after: (clean: () => void | Promise<void>) => void cleanings.unshift(clean) }
  const examples = new Map<OperationId, Example>()
  const clock = manualClock()
  try {
    const provider = await aProvider(scope, clock, { port: PROVIDER_PORT })
    const providers = [{ name: 'company', issuer: provider.issuer, client_id: 'deputy-client' }]
    const open = await aTestApp(scope, { providers, clock })
    await playOpen({ service: open, play: recorder(open, examples) }, provider)
    const keyed = await aTestApp(scope, { access: 'keyed', clock })
    await playKeyed({ service: keyed, play: recorder(keyed, examples) })
    return published(examples, provider.issuer)
  } finally {
    for (const clean of cleanings) await clean()
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
