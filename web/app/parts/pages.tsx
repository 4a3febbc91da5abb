import { useRef, useState } from 'preact/hooks'
import type { OperationId } from '../../../sdk/node/src/generated/operations.ts'
import type { CallArguments, ServiceAnswer } from '../api/ask-once.ts'
import { callService, problemText } from '../api/client.ts'
import { type Loaded, useLoad, useRead } from '../api/load.ts'
import { ProblemBox } from './basics.tsx'

interface PageAnswer<Row> {
  readonly data: readonly Row[]
  readonly next_cursor: string | null
}

/** The operations whose pages continue at a cursor. */
type PagedId = {
  [Id in OperationId]: ServiceAnswer<Id> extends PageAnswer<unknown> ? Id : never
}[OperationId]

type RowOf<Id extends PagedId> = ServiceAnswer<Id> extends PageAnswer<infer Row> ? Row : never

interface Pages<Row> extends Loaded<readonly Row[]> {
  /** Undefined if there are no more. */
  readonly more: (() => Promise<void>) | undefined
}

/** A list that grows page by page. Its first page is live until a second one is read. */
export function usePages<Id extends PagedId>(id: Id, input: CallArguments<Id>): Pages<RowOf<Id>> {
  const key = JSON.stringify([id, input])
  const shown = useRef(key)
  shown.current = key
  const [read, setRead] = useState<{
    readonly key: string
    readonly rows: readonly RowOf<Id>[]
    readonly cursor: string | null
  }>()
  // A different query starts with its first page.
  const later = read?.key === key ? read : undefined
  const first = useLoad(id, input, { live: later === undefined })
  // PagedId contains only operations with these members.
  const page = first.data as PageAnswer<RowOf<Id>> | undefined
  const cursor = later === undefined ? (page?.next_cursor ?? null) : later.cursor
  const readMore = async () => {
    const next = (await callService(id, { ...input, cursor })) as PageAnswer<RowOf<Id>> // as above
    // If the person has chosen another filter meanwhile, this page isn't shown.
    if (shown.current !== key) return
    setRead({ key, rows: [...(later?.rows ?? []), ...next.data], cursor: next.next_cursor })
  }
  return {
    data: page === undefined ? undefined : [...page.data, ...(later?.rows ?? [])],
    problem: first.problem,
    isLasting: first.isLasting,
    reload: () => {
      setRead(undefined)
      first.reload()
    },
    more: cursor === null || !first.isCurrent ? undefined : readMore,
  }
}

/** Reads a whole list, page by page, up to about `most` rows. */
export function useAll<Id extends PagedId>(id: Id, input: CallArguments<Id>, most: number) {
  const key = JSON.stringify([id, input, most])
  const { data, ...loaded } = useRead(key, (ending) => readAll(id, input, most, ending))
  return { ...loaded, data: data?.rows, isCut: data?.isCut ?? false }
}

async function readAll<Id extends PagedId>(
  id: Id,
  input: CallArguments<Id>,
  most: number,
  signal: AbortSignal,
) {
  const rows: RowOf<Id>[] = []
  let cursor: string | null = null
  do {
    const asked = { ...input, limit: LARGEST_PAGE, ...(cursor !== null && { cursor }) }
    const page = (await callService(id, asked, signal)) as PageAnswer<RowOf<Id>> // PagedId contains only such operations
    rows.push(...page.data)
    cursor = page.next_cursor
  } while (cursor !== null && rows.length < most)
  return { rows, isCut: cursor !== null }
}

const LARGEST_PAGE = 200

/** A page may be empty although older entries match, because the service limits the time to read a page. */
export function MoreButton({
  of: { more, data },
}: {
  readonly of: Pick<Pages<unknown>, 'more'> & Partial<Pick<Pages<unknown>, 'data'>>
}) {
  const [problem, setProblem] = useState<string>()
  if (more === undefined) return null
  return (
    <div class="more">
      {problem !== undefined && <ProblemBox text={problem} />}
      <button type="button" onClick={() => more().catch((error: unknown) => setProblem(problemText(error)))}>
        {data?.length === 0 ? 'Search older entries' : 'Show more'}
      </button>
    </div>
  )
}
