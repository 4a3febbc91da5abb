import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { problemText } from '../api/client.ts'
import { ProblemBox } from './basics.tsx'

/** A dialog of the browser: it holds the focus, and Escape closes it. */
export function Dialog({
  title,
  close,
  children,
  kind = '',
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly kind?: string
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key arrives: what a person types right away belongs in the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      onClose={close}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <div class="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

/** What `run` returns if the caller shows something else in place of the question. */
export const KEEP_OPEN = 'keep_open'

/** Asks before doing something. Shows the service's answer if it refuses. */
export function Confirm({
  title,
  verb,
  isDangerous = false,
  isReady = true,
  noteLabel,
  run,
  close,
  children,
}: {
  readonly title: string
  readonly verb: string
  readonly isDangerous?: boolean
  readonly isReady?: boolean
  /** The label of a field for a note, which is passed to `run`. */
  readonly noteLabel?: string
  readonly run: (note: string | undefined) => Promise<unknown>
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const answer = await run(note.trim() === '' ? undefined : note.trim())
      if (answer !== KEEP_OPEN) close()
    } catch (error) {
      setProblem(problemText(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit}>
        {children}
        {noteLabel !== undefined && (
          <label class="field">
            {noteLabel}
            <textarea
              rows={2}
              maxLength={500}
              value={note}
              onInput={(event) => setNote(event.currentTarget.value)}
            />
          </label>
        )}
        {problem !== undefined && <ProblemBox text={problem} />}
        <div class="buttons">
          <button
            type="submit"
            class={isDangerous ? 'filled danger' : 'filled'}
            disabled={isBusy || !isReady}
          >
            {verb}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
