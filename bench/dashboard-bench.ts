import { mkdirSync } from 'node:fs'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { Page } from 'playwright-core'
import { type LargeStore, largeStore, RECORDS } from './dashboard-store.ts'
import { medianOf, tableOf, writeReport } from './report.ts'
import { startDeputyProgram, withDirectory } from './servers.ts'

const MIB = 1024 * 1024
/** Several, because the first time a screen is opened, its code is loaded and the service reads from disk. */
const ROUNDS = 5

interface ScreenFigures {
  readonly screen: string
  /** From the click to a screen that is complete and can be used. */
  readonly first_ms: number
  readonly again_ms: number
  /** Between two frames while the page and its large pictures scroll from end to end. 0 if nothing scrolls. */
  readonly frame_ms: number
  readonly longest_frame_ms: number
  readonly elements: number
  readonly heap_mib: number
}

/** Opens every screen on a large store, and measures how long it takes, how it scrolls and what it holds. */
export async function dashboardBench(): Promise<void> {
  await withStore(async (directory) => {
    const closings: (() => unknown)[] = []
    try {
      const program = await startDeputyProgram(directory)
      closings.push(() => program.stop())
      const large = await largeStore(program.url, directory)
      if (process.env.DASHBOARD_FILL === 'only') return
      const browser = await openBrowser({ after: (close) => void closings.push(close) })
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
      await page.goto(`${program.url}/app/nowhere`)
      const figures: ScreenFigures[] = []
      for (const path of screensOf(large)) figures.push(await measured(page, path))
      writeReport('dashboard', { records: RECORDS, rounds: ROUNDS }, figures, tableOf(figures, COLUMNS))
    } finally {
      for (const close of closings.reverse()) await close()
    }
  })
}

/** `DASHBOARD_STORE` names a directory that keeps the filled store for the next run. */
function withStore(work: (directory: string) => Promise<void>): Promise<void> {
  const kept = process.env.DASHBOARD_STORE
  if (kept === undefined) return withDirectory(work)
  mkdirSync(kept, { recursive: true })
  return work(kept)
}

const COLUMNS = {
  screen: ({ screen }: ScreenFigures) =>
    decodeURIComponent(screen).replace(/(_|sha256:)[a-z0-9]{12,}/g, '$1…'),
  'first ms': ({ first_ms }: ScreenFigures) => first_ms.toFixed(0),
  'again ms': ({ again_ms }: ScreenFigures) => again_ms.toFixed(0),
  'frame ms': ({ frame_ms }: ScreenFigures) => frame_ms.toFixed(1),
  'longest frame ms': ({ longest_frame_ms }: ScreenFigures) => longest_frame_ms.toFixed(0),
  elements: ({ elements }: ScreenFigures) => String(elements),
  'heap MiB': ({ heap_mib }: ScreenFigures) => heap_mib.toFixed(1),
}

function screensOf({ workflow, tree, root_jti, agent_id, vouched_agent, voucher }: LargeStore): string[] {
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
    `/app/trust/${encodeURIComponent(vouched_agent)}`,
    `/app/trust/${encodeURIComponent(voucher)}`,
    '/app/audit',
    '/app/people',
    '/app/access?tab=policies',
    '/app/health',
  ]
}

async function measured(page: Page, path: string): Promise<ScreenFigures> {
  const shown: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    await page.evaluate(OPEN('/app/nowhere'))
    shown.push(await page.evaluate<number>(OPEN(path)))
  }
  const [first_ms = 0, ...again] = shown
  const frames = await page.evaluate<number[]>(SCROLL)
  const elements = await page.evaluate<number>(`document.querySelectorAll('*').length`)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('Performance.enable')
  const { metrics } = await cdp.send('Performance.getMetrics')
  await cdp.detach()
  const used = metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  process.stderr.write(`\r${path.slice(0, 60)} ${first_ms.toFixed(0)} ms `)
  return {
    screen: path,
    first_ms,
    again_ms: medianOf(again),
    frame_ms: frames.length === 0 ? 0 : medianOf(frames),
    longest_frame_ms: Math.max(0, ...frames),
    elements,
    heap_mib: used / MIB,
  }
}

/** Runs in the page: opens a screen like a link, and waits for the frame in which it is complete. */
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

/** Runs in the page: scrolls the page, then each large picture, from one corner to the other in 40 frames. */
const SCROLL = `(async () => {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const frames = []
  for (const one of [document.documentElement, ...document.querySelectorAll('.canvas')]) {
    const [width, height] = [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight]
    if (width <= 0 && height <= 0) continue
    let last = await frame()
    for (let step = 1; step <= 40; step += 1) {
      one.scrollTo((width * step) / 40, (height * step) / 40)
      const now = await frame()
      frames.push(now - last)
      last = now
    }
    one.scrollTo(0, 0)
  }
  return frames
})()`
