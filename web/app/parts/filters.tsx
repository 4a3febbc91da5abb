/** Filters of a list. The address keeps them. */
import { setQuery, shownAddress } from '../router.ts'

/** The text that a list is filtered by. The key / focuses it. */
export function FilterInput({
  label,
  placeholder,
}: {
  readonly label: string
  readonly placeholder: string
}) {
  return (
    <input
      type="search"
      data-filter
      aria-label={label}
      placeholder={placeholder}
      value={shownAddress.value.query.get('q') ?? ''}
      onInput={(event) => setQuery({ q: event.currentTarget.value })}
    />
  )
}

/** A filter that was set elsewhere, such as by a link. A click removes it. */
export function FilterChip({ name, word }: { readonly name: string; readonly word: string }) {
  return (
    <button type="button" class="chip" onClick={() => setQuery({ [name]: undefined })}>
      {word} <span aria-hidden="true">✕</span>
      <span class="sr">Remove this filter</span>
    </button>
  )
}

/** Says that filters hide everything. A click removes the filters named in `filters`. */
export function NoMatch({ title, filters }: { readonly title: string; readonly filters: readonly string[] }) {
  return (
    <div class="empty">
      <p class="strong">{title}</p>
      <div class="buttons">
        <button
          type="button"
          onClick={() => setQuery(Object.fromEntries(filters.map((name) => [name, undefined])))}
        >
          Clear filters
        </button>
      </div>
    </div>
  )
}
