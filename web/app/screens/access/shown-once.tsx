import type { ComponentChildren } from 'preact'
import { copy } from '../../parts/basics.tsx'
import { Dialog } from '../../parts/dialog.tsx'

/** A secret that the service shows once. */
export function ShownOnce({
  title,
  what,
  text,
  close,
  children,
}: {
  readonly title: string
  readonly what: string
  readonly text: string
  readonly close: () => void
  readonly children: ComponentChildren
}) {
  return (
    <Dialog title={title} close={close} staysOpen>
      <div class="snippet">
        <pre>{text}</pre>
      </div>
      {children}
      <div class="buttons">
        <button type="button" class="filled" onClick={() => void copy(text, 'Copied')}>
          Copy {what}
        </button>
        <button type="button" onClick={close}>
          I stored it
        </button>
      </div>
    </Dialog>
  )
}
