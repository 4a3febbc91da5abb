import { type Deputy, deputy } from '@deputize/sdk'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { Page } from 'playwright-core'
import { fill, prepareIdentities } from './cases.ts'
import { markdownTable, medianOf, tableOf } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

/** How much the dashboard has to show. `DASHBOARD_RECORDS=1000000` for the largest. */
const RECORDS = Number(process.env.DASHBOARD_RECORDS ?? 100_000)
const AGENTS = 10_000
const LARGE_WORKFLOW = 5_000
const LARGE_TREE = 2_000
const AT_ONCE = 64
const BATCH = 1000
const MIB = 1024 * 1024

interface ScreenFigures {
  readonly screen: string
  /** From the click to a screen that is complete and can be used. */
  readonly shown_ms: number
  /** Between two frames while the page scrolls from end to end. */
  readonly frame_ms: number
  readonly longest_frame_ms: number
  readonly elements: number
  readonly heap_mib: number
}

/** Opens every screen over a large store, and measures how long it takes, how it scrolls and what it holds. */
export async function dashboardBench(): Promise<void> {
  const closings: (() => unknown)[] = []
  await withDirectory(async (directory) => {
    const program = await startDeputyProgram(directory)
    closings.push(() => program.kill())
    try {
      const large = await fillStore(program.url)
      const browser = await openBrowser({ after: (close) => void closings.push(close) })
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(`${program.url}/app/nowhere`)
      const figures: ScreenFigures[] = []
      for (const path of screensOf(large)) figures.push(await measured(page, path))
      process.stdout.write(`\n${markdownTable(tableOf(figures, COLUMNS))}\n`)
    } finally {
      for (const close of closings.reverse()) await close()
    }
  })
}

const COLUMNS = {
  screen: ({ screen }: ScreenFigures) => screen.replace(/_\w{12,}/g, '_…'),
  'shown ms': ({ shown_ms }: ScreenFigures) => shown_ms.toFixed(0),
  'frame ms': ({ frame_ms }: ScreenFigures) => frame_ms.toFixed(1),
  'longest frame ms': ({ longest_frame_ms }: ScreenFigures) => longest_frame_ms.toFixed(0),
  elements: ({ elements }: ScreenFigures) => String(elements),
  'heap MiB': ({ heap_mib }: ScreenFigures) => heap_mib.toFixed(1),
}

interface LargeStore {
  readonly workflow: string
  readonly tree: string
  readonly root_jti: string
  readonly agent_id: string
}

async function fillStore(url: string): Promise<LargeStore> {
  const client = deputy({ url })
  const identities = await prepareIdentities(url)
  await inParallel(AGENTS, 'agents', (index) =>
    client.registerAgent({ agent_id: `agent-${index}`, display_name: `Agent ${index}` }),
  )
  const [busy] = identities
  if (busy === undefined) throw new Error('there are no tokens')
  for (let done = 0; done < LARGE_WORKFLOW; done += BATCH) await fill(url, [busy], BATCH)
  const tree = await largeTree(client)
  for (let done = 0; done < RECORDS; done += BATCH) {
    await fill(url, identities, Math.min(BATCH, RECORDS - done))
    process.stderr.write(`\rrecords: ${done + BATCH} of ${RECORDS} `)
  }
  return { workflow: busy.provenance_ref, agent_id: busy.agent_id, ...tree }
}

/** A root with 40 tokens below it, each with about 50 more. */
async function largeTree(client: Deputy): Promise<{ tree: string; root_jti: string }> {
  const root = await client.issueL1({
    developer_email: 'dev@example.com',
    agent_id: 'tree-root',
    resources: ['calendar:events'],
    actions: ['read', 'delegate'],
  })
  const below = (vat_jti: string, agent_id: string) =>
    client.delegate({ vat_jti, agent_id, actions: ['read', 'delegate'] })
  const branches = await Promise.all(
    Array.from({ length: 40 }, (_, index) => below(root.jti, `branch-${index}`)),
  )
  await inParallel(LARGE_TREE - 41, 'tokens', (index) =>
    below(branches[index % branches.length]?.jti ?? root.jti, `leaf-${index}`),
  )
  return { tree: root.provenance_ref, root_jti: root.jti }
}

async function inParallel(count: number, what: string, make: (index: number) => Promise<unknown>) {
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - done) }, (_, index) => make(done + index)),
    )
    process.stderr.write(`\r${what}: ${done} of ${count} `)
  }
}

function screensOf({ workflow, tree, root_jti, agent_id }: LargeStore): string[] {
  return [
    '/app',
    '/app?range=30d',
    '/app/approvals',
    '/app/live',
    '/app/agents',
    '/app/agents?q=agent-99',
    `/app/agents/${encodeURIComponent(agent_id)}`,
    '/app/workflows',
    `/app/workflows/${workflow}`,
    `/app/workflows/${workflow}?tab=graph`,
    `/app/workflows/${workflow}?tab=graph&expanded=1`,
    `/app/workflows/${workflow}?tab=timeline`,
    `/app/workflows/${tree}`,
    '/app/tokens',
    `/app/tokens/${root_jti}`,
    '/app/denials',
    '/app/log',
    '/app/trust',
    '/app/people',
    '/app/access?tab=policies',
    '/app/health',
  ]
}

async function measured(page: Page, path: string): Promise<ScreenFigures> {
  await page.evaluate(OPEN('/app/nowhere'))
  const shown_ms = await page.evaluate<number>(OPEN(path))
  const frames = await page.evaluate<number[]>(SCROLL)
  const elements = await page.evaluate<number>(`document.querySelectorAll('*').length`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('Performance.enable')
  const { metrics } = await cdp.send('Performance.getMetrics')
  await cdp.detach()
  const used = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  process.stderr.write(`\r${path.slice(0, 60)} ${shown_ms.toFixed(0)} ms `)
  return {
    screen: path,
    shown_ms,
    frame_ms: medianOf(frames),
    longest_frame_ms: Math.max(...frames),
    elements,
    heap_mib: used / MIB,
  }
}

/** Runs in the page: opens a screen as a link does, and waits for the frame in which it is complete. */
const OPEN = (path: string) => `(async () => {
  const begin = performance.now()
  history.pushState(null, '', ${JSON.stringify(path)})
  dispatchEvent(new PopStateEvent('popstate'))
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  await frame()
  while (document.querySelector('main[aria-busy=true], main .veiled, main .skeleton') !== null ||
    document.querySelector('main h1') === null) await frame()
  await frame()
  return performance.now() - begin
})()`

/** Runs in the page: scrolls from the top to the end in 40 frames. */
const SCROLL = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const height = Math.max(0, document.documentElement.scrollHeight - innerHeight)
  const frames = []
  let last = await frame()
  for (let step = 1; step <= 40; step += 1) {
    scrollTo(0, (height * step) / 40)
    const now = await frame()
    frames.push(now - last)
    last = now
  }
  scrollTo(0, 0)
  return frames
})()`
