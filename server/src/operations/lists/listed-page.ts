import { invalidField } from '@deputize/protocol'
import type { Page, PageRequest, Total } from '../../store/port/pages.ts'
import { MOST_TOTALLED } from '../../store/port/pages.ts'
import { pageAnswer } from '../views/page-answer.ts'
import { pageRequest } from './pages.ts'

/** How many entries a list sorts at most to order them by something other than age. */
const MOST_SORTED = 1_000

/** What a list request contains. */
interface ListQuery {
  readonly limit?: number
  readonly cursor?: string
  readonly total?: string
}

/** How to read a list. */
export interface Listing<T> {
  read(page: PageRequest): Promise<Page<T>>
  /** Counts all matches. If missing, the entries that `read` returns are counted. */
  readonly count?: (() => Promise<Total>) | undefined
  /** The order of a list that isn't sorted from new to old. */
  readonly order?: ((one: T, other: T) => number) | undefined
}

/** Returns the requested page in its order, with the total if requested. */
export async function listedPage<T>(query: ListQuery, listing: Listing<T>): Promise<CountedPage<T>> {
  const page = await pageInOrder(query, listing)
  if (query.total === undefined) return page
  return { ...page, total: await (listing.count ?? (() => countRead(listing)))() }
}

export interface CountedPage<T> extends Page<T> {
  readonly total?: Total
}

/** Builds the answer of a list that can be counted. */
export function countedAnswer<T, View>(page: CountedPage<T>, viewOf: (entry: T) => View) {
  const { total } = page
  return {
    ...pageAnswer(page, viewOf),
    ...(total !== undefined && { total: total.count, total_is_at_least: !total.is_exact }),
  }
}

async function pageInOrder<T>(query: ListQuery, { read, order }: Listing<T>): Promise<Page<T>> {
  if (order === undefined) return read(pageRequest(query))
  if (query.cursor !== undefined)
    throw invalidField('?cursor', 'cannot be used with `sort`: a sorted list has one page')
  const { entries } = await read({ limit: MOST_SORTED, before: undefined })
  return { entries: entries.sort(order).slice(0, pageRequest(query).limit), before: undefined }
}

async function countRead<T>({ read }: Listing<T>): Promise<Total> {
  const { entries, before } = await read({ limit: MOST_TOTALLED, before: undefined })
  return { count: entries.length, is_exact: before === undefined }
}

/** Whether one of these texts contains `q`, or one of these IDs begins with it. */
export function matchesSearch(
  q: string,
  { texts, ids = [] }: { readonly texts: readonly (string | undefined)[]; readonly ids?: readonly string[] },
): boolean {
  const wanted = q.toLowerCase()
  return (
    texts.some((text) => text?.toLowerCase().includes(wanted)) ||
    ids.some((id) => id.toLowerCase().startsWith(wanted))
  )
}
