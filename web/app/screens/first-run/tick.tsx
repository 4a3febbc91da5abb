/** Shows whether something that is awaited has happened. */
export function Tick({
  isDone,
  done,
  waiting,
}: {
  readonly isDone: boolean
  readonly done: string
  readonly waiting: string
}) {
  return (
    <p class={isDone ? 'outcome done' : 'dim'}>
      <span aria-hidden="true">{isDone ? '✓' : '◐'}</span> {isDone ? done : waiting}
    </p>
  )
}
