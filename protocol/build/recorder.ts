import { setTimeout as sleep } from 'node:timers/promises'
import { OPERATIONS, type Operation, type OperationId } from '@deputize/protocol'
import type { TestApp } from '@deputize/testing/a-test-app.ts'
import type { Example } from '../src/api/example.ts'

const MOST_TRIES = 60

/** The input of a call in the story. */
export interface Input {
  readonly params?: Readonly<Record<string, string | number>>
  /** A list is given as repeated members. */
  readonly query?: Readonly<Record<string, string | number | readonly string[]>>
  readonly body?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

// biome-ignore lint/suspicious/noExplicitAny: the story reads answers of every shape; a wrong guess ends it
export type Play = (id: OperationId, input?: Input) => Promise<any>

/** Plays calls on a service. The first call of each operation becomes its example. */
export function recorder({ app }: TestApp, examples: Map<OperationId, Example>): Play {
  return async (id, { params, query, body, headers = {} } = {}) => {
    const row: Operation = OPERATIONS[id]
    const content =
      body && (row.form === true ? String(new URLSearchParams(texts(body))) : JSON.stringify(body))
    const type = row.form === true ? 'application/x-www-form-urlencoded' : 'application/json'
    const ask = () =>
      app.inject({
        method: row.method,
        url: address(row, params, query),
        headers: { ...(content !== undefined && { 'content-type': type }), ...headers },
        ...(content !== undefined && { payload: content }),
      })
    let response = await ask()
    // On a busy machine the service may not be ready yet.
    for (let tries = 0; response.statusCode === 503 && tries < MOST_TRIES; tries += 1) {
      await sleep(1_000)
      response = await ask()
    }
    if (response.statusCode !== (row.status ?? 200)) throw new Error(`${id}: ${response.body}`)
    const isJson = row.media_type === undefined && row.streams === undefined
    const answer = isJson ? response.json() : response.body
    const isBinary = 'format' in row.response && row.response.format === 'binary'
    if (!examples.has(id))
      examples.set(id, {
        ...(params !== undefined && { params }),
        ...(query !== undefined && { query }),
        ...(body !== undefined && { body }),
        ...(!isBinary && { response: answer }),
      })
    return answer
  }
}

function address(
  { path, rest }: Operation,
  params: Input['params'] = {},
  query: Input['query'] = {},
): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name === rest ? String(params[name]) : encodeURIComponent(String(params[name])),
  )
  const members = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  )
  const search = String(new URLSearchParams(members))
  return search === '' ? filled : `${filled}?${search}`
}

function texts(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, String(value)]))
}
