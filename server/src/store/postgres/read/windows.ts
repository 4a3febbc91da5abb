import { PAGE_WORK_MS } from '../../searches.ts'

const FIRST_WINDOW = 20_000
const GROWTH = 4
/** After a window that was searched faster than this, the next one may be larger. */
const QUICK_MS = 10

export type Order = 'ASC' | 'DESC'

/** The places in `[low, high)`. */
export interface Stretch {
  readonly low: number
  readonly high: number
}

/**
 * Searches a stretch in windows, from one end to the other, until it has found one more than `limit` or has run long
 * enough. `rest` says where to continue; it is undefined if everything was searched. Under any query plan, the database
 * reads only rows in the window.
 */
export async function searchWindows<T>(
  { low, high, limit, order }: Stretch & { readonly limit: number; readonly order: Order },
  find: (window: Stretch, most: number) => Promise<T[]>,
): Promise<{ readonly found: T[]; readonly rest: number | undefined }> {
  const found: T[] = []
  const started = performance.now()
  let left: Stretch = { low, high }
  for (let size = FIRST_WINDOW; left.low < left.high; ) {
    const asked = performance.now()
    const window = firstOf(left, size, order)
    found.push(...(await find(window, limit + 1 - found.length)))
    left = order === 'ASC' ? { low: window.high, high } : { low, high: window.low }
    const now = performance.now()
    if (found.length > limit || now - started > PAGE_WORK_MS) break
    if (now - asked < QUICK_MS) size *= GROWTH
  }
  const at = order === 'ASC' ? left.low : left.high
  return { found, rest: left.low < left.high ? at : undefined }
}

function firstOf({ low, high }: Stretch, size: number, order: Order): Stretch {
  return order === 'ASC'
    ? { low, high: Math.min(high, low + size) }
    : { low: Math.max(low, high - size), high }
}
