/** One number that answers a question, as a link to its source if there is one. */
export function KeyFigure({
  word,
  value,
  note,
  href,
  tone = '',
}: {
  readonly word: string
  readonly value: string | undefined
  readonly note: string
  readonly href?: string
  readonly tone?: string
}) {
  const content = (
    <>
      <span class="figure-word">{word}</span>
      <span class={`figure-value ${tone}`}>{value ?? '–'}</span>
      <span class="figure-note">{note}</span>
    </>
  )
  if (href === undefined) return <div class="figure">{content}</div>
  return (
    <a class="figure" href={href}>
      {content}
    </a>
  )
}
