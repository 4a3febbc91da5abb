import type { ComponentChildren, ComponentType } from 'preact'
import { useRead } from '../api/load.ts'
import { Loading, ProblemBox } from './basics.tsx'

const UNREAD = 'This screen could not be loaded. The service is stopped, or it was upgraded.'

export type ScreenView = ComponentType<{ readonly id: string }>

/** A screen that is downloaded when it is first opened. */
export function lazyScreen(
  read: () => Promise<ScreenView>,
  meanwhile: ComponentChildren = <Loading />,
): ScreenView {
  let View: ScreenView | undefined
  const download = async () => {
    View = await read()
  }
  return function LazyScreen({ id }) {
    const { problem } = useRead(View === undefined ? 'view' : undefined, download, { live: false })
    if (View !== undefined) return <View id={id} />
    // After an upgrade its file has another name, which the page learns only by a reload.
    if (problem !== undefined) return <ProblemBox text={UNREAD} retry={() => location.reload()} />
    return meanwhile
  }
}
