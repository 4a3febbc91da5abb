import { copy } from '../../parts/basics.tsx'

/** Code with a button that copies it. */
export function Snippet({ text, label = 'Code' }: { readonly text: string; readonly label?: string }) {
  return (
    <figure class="snippet" aria-label={label}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
      <pre tabIndex={0}>{text}</pre>
      <button type="button" class="quiet" onClick={() => void copy(text)}>
        Copy<span class="sr"> {label}</span>
      </button>
    </figure>
  )
}
