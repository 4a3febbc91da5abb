import type { OperationContext } from '../operation-context.ts'

/** Returns the index of the first leaf after an instant. Times in the log never go back. */
export async function firstIndexAfter(
  at_ms: number,
  { reader }: Pick<OperationContext, 'reader'>,
): Promise<number> {
  let least = 0
  let most = (await reader.log.head()).size
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    const [leaf = '{}'] = await reader.log.leaves(middle, middle + 1)
    if (Date.parse(JSON.parse(leaf).at) <= at_ms) least = middle + 1
    else most = middle
  }
  return least
}
