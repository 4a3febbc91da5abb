import { OPERATIONS, type Operation, type OperationId } from '@deputize/protocol'
import type { LoadRank } from '../../domain/load/load-rank.ts'
import { HANDLERS } from '../../operations/handlers.ts'
import type { Handler } from '../../operations/operation-context.ts'
import { loadRankOf } from '../load/load-shedding.ts'
import { urlOf } from '../routes.ts'
import { lazySerializer } from '../serialization.ts'
import { lazyValidator } from '../validation.ts'

/** The calls that agents and their guards make most often. */
const LEAN_OPERATIONS = [
  'recordAction',
  'authorize',
  'completeRecord',
  'issueL1',
  'delegate',
  'getProvenance',
  'getReputation',
] as const satisfies readonly OperationId[]

/** An operation as the lean path calls it, built from the same row as Fastify's route. */
export interface LeanRoute {
  readonly id: OperationId
  readonly method: string
  /** The path in the router's syntax, for log lines. */
  readonly url: string
  readonly has_body: boolean
  readonly load_rank: LoadRank
  readonly status: number
  readonly cache_control: string | undefined
  readonly handler: Handler<OperationId>
  /** Whether the row's schemas accept the input. */
  accepts(params: unknown, body: unknown): boolean
  serialize(answer: unknown): string
}

export interface LeanMatch {
  readonly route: LeanRoute
  readonly params: Readonly<Record<string, string>>
}

const NO_PARAMS = {}

/** Returns a function that finds a request's route. Undefined for others, and with a query or an encoded character. */
export function leanRoutes(): (method: string | undefined, url: string | undefined) => LeanMatch | undefined {
  const fixed = new Map<string, LeanMatch>()
  const patterns: { readonly method: string; readonly pattern: RegExp; readonly route: LeanRoute }[] = []
  for (const id of LEAN_OPERATIONS) {
    const { method, path }: Operation = OPERATIONS[id]
    const route = routeOf(id)
    if (path.includes('{')) patterns.push({ method, pattern: patternOf(path), route })
    else fixed.set(`${method} ${path}`, { route, params: NO_PARAMS })
  }
  return (method, url = '') => {
    const known = fixed.get(`${method} ${url}`)
    if (known !== undefined) return known
    for (const { method: wanted, pattern, route } of patterns) {
      const params = method === wanted ? pattern.exec(url)?.groups : undefined
      if (params !== undefined) return { route, params: { ...params } }
    }
    return undefined
  }
}

/** Returns the calls that `leanRoutes` finds, for threads that only have to recognize them. */
export function leanPatterns(): { readonly method: string; readonly pattern: string }[] {
  return LEAN_OPERATIONS.map((id) => {
    const { method, path }: Operation = OPERATIONS[id]
    return { method, pattern: patternOf(path).source }
  })
}

/** Matches a path whose parameters are names or ids. A parameter that would have to be decoded doesn't match. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, String.raw`(?<$1>[\w.-]{1,128})`)}$`)
}

function routeOf(id: OperationId): LeanRoute {
  const row: Operation = OPERATIONS[id]
  const { method, params, body, status = 200, response, cache_control } = row
  const areParams = params === undefined ? () => true : lazyValidator(params, 'params')
  const isBody = body === undefined ? () => true : lazyValidator(body, 'body')
  return {
    id,
    method,
    url: urlOf(row),
    has_body: body !== undefined,
    load_rank: loadRankOf(id, row),
    status,
    cache_control,
    handler: HANDLERS[id] as Handler<OperationId>, // the table pairs each row with the handler of its own type
    accepts: (given, sent) => areParams(given) === true && isBody(sent) === true,
    serialize: lazySerializer(response),
  }
}
