import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type LinkedPage, passkeyPage, problemText } from '../api/client.ts'
import { ProblemBox } from './basics.tsx'

/** A dialog of the browser: it holds the focus, and Escape or a press outside closes it. */
export function Dialog({
  title,
  close,
  children,
  kind = '',
  staysOpen = false,
}: {
  readonly title: string
  readonly close: () => void
  readonly children: ComponentChildren
  readonly kind?: string
  /** Whether only its own buttons close it. */
  readonly staysOpen?: boolean
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key arrives: what a person types right away belongs in the dialog.
  useLayoutEffect(() => {
    dialog.current?.showModal()
  }, [])
  // A press that began inside, such as a selection of text, may end outside.
  const pressed = useRef<EventTarget>(null)
  const onClick = ({ target }: Event) => {
    if (!staysOpen && target === dialog.current && pressed.current === target) dialog.current?.close()
  }
  return (
    <dialog
      ref={dialog}
      class={kind}
      aria-labelledby={id}
      // Some browsers close it on a second Escape all the same.
      onClose={() => (staysOpen ? dialog.current?.showModal() : close())}
      onCancel={(event) => staysOpen && event.preventDefault()}
      onKeyDown={(event) => staysOpen && event.key === 'Escape' && event.preventDefault()}
      onPointerDown={({ target }) => {
        pressed.current = target
      }}
      onClick={onClick}
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

/** Asks before doing something. Shows the service's answer if it refuses. Enter alone does nothing dangerous. */
export function Confirm({
  title,
  verb,
  isDangerous = false,
  isReady = true,
  noteLabel,
  noteFirst = false,
  passkeyAt,
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
  /** Whether the person usually writes the note, so that it has the focus. */
  readonly noteFirst?: boolean
  /** The page that does the same with a passkey. */
  readonly passkeyAt?: LinkedPage
  readonly run: (note: string | undefined) => Promise<unknown>
  readonly close: () => void
  readonly children?: ComponentChildren
}) {
  const [note, setNote] = useState('')
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setBusy] = useState(false)
  const cancel = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => {
    if (isDangerous && !noteFirst) cancel.current?.focus()
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    try {
      const answer = await run(note.trim() === '' ? undefined : note.trim())
      if (answer !== KEEP_OPEN) close()
    } catch (error) {
      setProblem(error)
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
        {problem !== undefined && (
          <ProblemBox text={problemText(problem)} page={passkeyPage(problem, passkeyAt)} />
        )}
        <div class="buttons">
          <button
            type="submit"
            class={isDangerous ? 'filled danger' : 'filled'}
            disabled={isBusy || !isReady}
          >
            {verb}
          </button>
          <button type="button" ref={cancel} onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
