/** Shared by the tests of the dashboard: a page that collects complaints, and the checks for every screen. */
import { eventually } from '@deputize/testing/eventually.ts'
import type { Browser, Page } from 'playwright-core'
import { violationsOn } from './accessible.ts'

export interface DashboardPage {
  readonly page: Page
  /** All errors that the browser reported. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

/** Opens a page that collects all errors that the browser reports. */
export async function aDashboardPage(
  browser: Browser,
  scheme: 'light' | 'dark',
  width: number,
): Promise<DashboardPage> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: scheme })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    // A busy machine may answer with 503, and the page tries again.
    const isBusy = message.text().includes('status of 503')
    if (message.type() === 'error' && !isBusy) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints, close: () => context.close() }
}

/** Navigates as a link does, without reloading the page. */
export async function goToScreen(page: Page, path: string): Promise<void> {
  const href = JSON.stringify(path)
  await page.evaluate(`history.pushState(null, '', ${href}); dispatchEvent(new PopStateEvent('popstate'))`)
}

export async function screenIsShown(page: Page, look: string): Promise<void> {
  await eventually(`${look} is shown`, async () => {
    const { problem, open, titles } = await page.evaluate<ScreenState>(SCREEN_STATE)
    if (problem !== null) throw new Error(`${look}: ${problem}`)
    return open === 0 && titles === 1
  })
}

interface ScreenState {
  readonly problem: string | null
  readonly open: number
  readonly titles: number
}

const SCREEN_STATE = `({
  problem: document.querySelector('main [role=alert]')?.innerText ?? null,
  open: document.querySelectorAll('main[aria-busy=true], main .veiled, main .skeleton').length,
  titles: document.querySelectorAll('main h1').length,
})`

export async function fitsWindow(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')
}

const WIDTHS = [1440, 1024, 390] as const

const COLOUR_RULES = { rules: ['color-contrast', 'link-in-text-block'] }

/** The maximum layout shift while a screen loads. */
const MOST_SHIFT = 0.05

/**
 * Opens every screen in every look, in one page, and returns the faults: errors in the browser, layout shifts, content
 * wider than the window, broken short words in tables, motion despite reduced motion, text that became markup, and the
 * violations that axe finds.
 */
export async function faultsOfScreens(
  { page, complaints }: Pick<DashboardPage, 'page' | 'complaints'>,
  paths: readonly string[],
): Promise<string[]> {
  const faults: string[] = []
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await page.evaluate(WATCH_SHIFTS)
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    for (const [index, path] of paths.entries()) {
      const look = `${path} ${width}`
      // Forces another tab of the same screen to load, instead of only switching to it.
      if (path.split('?')[0] === paths[index - 1]?.split('?')[0]) await goToScreen(page, '/app/nowhere')
      await page.emulateMedia({ colorScheme: 'light' })
      await page.evaluate('resetShifts()')
      await goToScreen(page, path)
      await screenIsShown(page, look)
      const seen = await page.evaluate<string[]>(`seenFaults(${MOST_SHIFT})`)
      faults.push(...seen.map((fault) => `${look} ${fault}`), ...(await violationsOn(page, look)))
      await save(page, `${index}-light-${width}`)
      // A scheme changes only colours.
      await page.emulateMedia({ colorScheme: 'dark' })
      faults.push(...(await violationsOn(page, `${look} dark`, COLOUR_RULES)))
      await save(page, `${index}-dark-${width}`)
    }
  }
  faults.push(...complaints)
  return [...new Set(faults)]
}

const SAVED = process.env.SCREENSHOTS

async function save(page: Page, name: string): Promise<void> {
  if (SAVED !== undefined) await page.screenshot({ path: `${SAVED}/${name}.png`, fullPage: true })
}

/** Runs in the page. A screen has settled once two frames are drawn. */
const WATCH_SHIFTS = `
  let shifts = []
  const observer = new PerformanceObserver((list) => shifts.push(...list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  globalThis.resetShifts = async () => {
    await frame().then(frame)
    observer.takeRecords()
    shifts = []
  }
  globalThis.seenFaults = async (most) => {
    await frame().then(frame)
    shifts.push(...observer.takeRecords())
    const sum = shifts.reduce((before, { value }) => before + value, 0)
    const jumped = shifts.flatMap(({ sources }) => sources.map(({ node }) => node?.getAttribute?.('class') ?? node?.nodeName))
    const moving = document.getAnimations().filter(({ playState }) => playState === 'running')
    const faults = []
    if (sum > most) faults.push('jumps by ' + sum.toFixed(3) + ': ' + jumped.join(', '))
    if (document.documentElement.scrollWidth > innerWidth) faults.push('is wider than the window')
    const broken = [...document.querySelectorAll('main td')].filter((cell) => {
      const range = document.createRange()
      range.selectNodeContents(cell)
      const tops = [...range.getClientRects()].map(({ top }) => top)
      return /^[a-z]{2,14}$/i.test(cell.innerText.trim()) && Math.max(...tops) - Math.min(...tops) > 10
    })
    if (broken.length > 0) faults.push('breaks ' + broken.map(({ innerText }) => innerText).join(', '))
    if (moving.length > 0) faults.push('moves')
    if (document.querySelector('#app img, #app script') !== null) faults.push('shows markup')
    return faults
  }
`
