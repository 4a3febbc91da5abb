import type { ReadStore } from './port.ts'
import { isAsyncIterable } from './wrap-methods.ts'

type NamesOf<Room> = Exclude<
  keyof Room & string,
  'log' | 'workflows' | 'registry' | 'trust' | 'stats' | 'standing' | 'close'
>
/** Every read of a store, by the path of its method. */
export type Reads =
  | NamesOf<ReadStore>
  | `workflows.${NamesOf<ReadStore['workflows']>}`
  | `registry.${NamesOf<ReadStore['registry']>}`
  | `trust.${NamesOf<ReadStore['trust']>}`
  | `stats.${NamesOf<ReadStore['stats']>}`
  | `standing.${NamesOf<ReadStore['standing']>}`

/** Reads that return rows one by one. All others return a promise. */
const STREAMS: readonly string[] = [
  'workflows.agents',
  'workflows.resources',
  'workflows.leaves',
] satisfies Reads[]

export function isStream(read: string): boolean {
  return STREAMS.includes(read)
}

/** Yields a stream that is opened when its first row is requested. */
export async function* streamOnceOpen(open: () => unknown): AsyncGenerator<unknown> {
  const source = await open()
  if (isAsyncIterable(source)) yield* source
}
