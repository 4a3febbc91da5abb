/** The violations that axe finds on a page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/**
 * The axe script without its builder, which parses the script again and opens another page for every check and takes
 * five times as long.
 */
const RULES = readFileSync(
  createRequire(import.meta.resolve('@axe-core/playwright')).resolve('axe-core/axe.min.js'),
  'utf8',
)

interface AxeViolation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

interface AxeScope {
  /** A selector. The whole page by default. */
  readonly within?: string
  /** Only these rules, if nothing else can differ. All rules by default. */
  readonly rules?: readonly string[]
}

/** Waits for running animations to finish, except those that never end. */
const ANIMATIONS_END = `Promise.all(
  document
    .getAnimations()
    .filter((one) => one.playState === 'running' && one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished.catch(() => {})),
).then(() => {})`

/** Returns a line for each violation, with up to three of its elements. Each line begins with `look`. */
export async function violationsOn(
  page: Page,
  look = '',
  { within, rules }: AxeScope = {},
): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(RULES)
  await page.evaluate(ANIMATIONS_END)
  const place = within === undefined ? 'document' : JSON.stringify(within)
  const options = {
    resultTypes: ['violations'],
    ...(rules !== undefined && { runOnly: { type: 'rule', values: rules } }),
  }
  const violations = await page.evaluate<readonly AxeViolation[]>(
    `axe.run(${place}, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => {
    const named = nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`)
    return `${look} ${id}: ${named.join(' ')}`.trim()
  })
}

/** Asserts that axe finds no violations in dark or light. The page is light afterwards. */
export async function assertAccessible(page: Page, scope: AxeScope = {}): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violationsOn(page, colorScheme, scope), [])
  }
}
