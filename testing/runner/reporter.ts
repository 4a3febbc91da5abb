/** A reporter of `node --test` that sends each result to the runner. */
import type { TestEvent } from 'node:test/reporters'
import { inspect } from 'node:util'
import { report, type TestOutcome } from './channel.ts'

type Finished = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>['data']

// biome-ignore lint/style/noDefaultExport: node --test-reporter takes the default export
export default async function* reporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  /** The open tests, from the outermost to the innermost. */
  const path: string[] = []
  /** The file of the outermost test. The tests inside it may come from a contract that several files share. */
  let file = ''
  for await (const { type, data } of events) {
    if (type === 'test:start') path.splice(data.nesting, path.length, data.name)
    if (type === 'test:start' && data.nesting === 0) file = data.file ?? ''
    if (type === 'test:pass' || type === 'test:fail')
      report({ ...outcomeOf(data, type === 'test:fail', path.slice(0, data.nesting)), file })
    if (type === 'test:diagnostic' && data.file !== undefined)
      report({ kind: 'note', file, text: data.message })
  }
  yield ''
}

function outcomeOf(data: Finished, hasFailed: boolean, above: readonly string[]): Omit<TestOutcome, 'file'> {
  const { name, skip, details } = data
  const isSkipped = skip !== undefined && skip !== false
  return {
    kind: 'outcome',
    path: [...above, name],
    result: hasFailed ? 'failed' : isSkipped ? 'skipped' : 'passed',
    is_suite: details.type === 'suite',
    duration_ms: details.duration_ms,
    ...(hasFailed && 'error' in details && { reason: failureOf(details.error) }),
    ...(isSkipped && { reason: typeof skip === 'string' ? skip : 'no reason given' }),
  }
}

/** A suite fails because of its tests, which report themselves. */
const INHERITED = 'subtestsFailed'

function failureOf(error: Error & { failureType?: string }): string {
  if (error.failureType === INHERITED) return ''
  return inspect(error.cause ?? error, { depth: 6, breakLength: 110 })
}
