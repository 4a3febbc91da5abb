import { createRequire } from 'node:module'
import type { TestContext } from 'node:test'

/** Required, not imported: what a module imports from `node:test` is fixed when the first one imports it. */
const runner: typeof import('node:test') = createRequire(import.meta.url)('node:test')

const running = new Set<TestContext>()

/** Calls a function whenever a test begins. */
export function onTestStart(listen: (test: TestContext) => void): void {
  runner.beforeEach((context) => {
    const test = context as TestContext // it is that of a test, also for tests in a suite
    running.add(test)
    listen(test)
  })
  runner.afterEach((context) => {
    running.delete(context as TestContext)
  })
}

/** Lets what a test registers by the imported `after` belong to this test. If several run at once, it belongs to the process. */
export function keepAfter(): void {
  const { after } = runner
  runner.after = (...args) => {
    const test = innermost()
    if (test === undefined) after(...args)
    else test.after(...args)
  }
}

/** The only test that runs. The tests around it run, too. */
function innermost(): TestContext | undefined {
  const last = [...running].at(-1)
  const isAround = (test: TestContext) => test === last || last?.fullName.startsWith(`${test.fullName} > `)
  return [...running].every(isAround) ? last : undefined
}
