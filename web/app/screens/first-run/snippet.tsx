import { copy } from '../../parts/basics.tsx'
import type { KeyedLanguage, Language } from './snippets.ts'

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

/** What must be installed before the code runs. */
export function InstallNote({ language }: { readonly language: Language | KeyedLanguage }) {
  if (language === 'curl') return null
  if (language === 'cli')
    return (
      <p>
        Run this in the folder where <a href="/guides/install#service-and-command">Deputy is installed</a>.
      </p>
    )
  return (
    <p>
      <a href="/guides/install#sdks">Install the SDK</a> first.
    </p>
  )
}
