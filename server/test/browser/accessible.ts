/** What axe objects to on a page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/**
 * The rules themselves, without the builder around them: it parses them again and opens another page for every check, which
 * takes five times as long.
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
  /** These rules only, where a look can change nothing else. */
  readonly rules?: readonly string[]
}

/** What fades in is seen as it stays. What turns for ever is not waited for. */
const ANIMATIONS_END = `Promise.all(
  document
    .getAnimations()
    .filter((one) => one.playState === 'running' && one.effect?.getComputedTiming().endTime !== Infinity)
    .map((one) => one.finished.catch(() => {})),
).then(() => {})`

/** Each violation with the elements it names, which begin with `look`. */
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

/** Nothing to object to in light or dark. The page is light afterwards. */
export async function assertAccessible(page: Page, scope: AxeScope = {}): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await violationsOn(page, colorScheme, scope), [])
  }
}
