/** Forms whose fields show what is wrong with them, in the service's words. */
import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'
import { type LinkedPage, passkeyPage, problemErrors, problemText } from '../api/client.ts'
import { type FormProblems, formProblems, NO_PROBLEMS, problemAt } from '../words/field-problems.ts'
import { ProblemBox } from './basics.tsx'
import { Dialog, KEEP_OPEN } from './dialog.tsx'

/** A form that is sent to the service. */
export interface FormState {
  readonly problems: FormProblems
  readonly isBusy: boolean
  /** Where the person can give the passkey that the call lacked. */
  readonly page: LinkedPage | undefined
  readonly form: { readonly current: HTMLFormElement | null }
  /** Calls the service, then focuses the first field with a problem. */
  send(run: () => Promise<unknown>): Promise<boolean>
}

/** `pointers` are JSON pointers to the members that the form has fields for. */
export function useForm(pointers: readonly string[]): FormState {
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [isBusy, setBusy] = useState(false)
  const [page, setPage] = useState<LinkedPage>()
  const form = useRef<HTMLFormElement>(null)
  const send = async (run: () => Promise<unknown>) => {
    setBusy(true)
    setProblems(NO_PROBLEMS)
    setPage(undefined)
    try {
      await run()
      return true
    } catch (error) {
      setPage(passkeyPage(error, undefined))
      setProblems(formProblems(problemText(error), problemErrors(error), pointers))
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
      return false
    } finally {
      setBusy(false)
    }
  }
  return { problems, isBusy, page, form, send }
}

export interface FieldFrameOptions {
  readonly label: string
  /** Where the value belongs in the body. */
  readonly pointer: string
  readonly of: FormState
  readonly hint?: ComponentChildren
}

/** The label of a control, its hint and its problem. */
export function FieldFrame({
  label,
  pointer,
  of: { problems },
  hint,
  children,
}: FieldFrameOptions & {
  readonly children: (control: {
    readonly id: string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string
  }) => ComponentChildren
}) {
  const id = useId()
  const problem = problemAt(problems, pointer)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': `${id}-note` })}
      <span id={`${id}-note`} class={problem === undefined ? '' : 'no'}>
        {problem ?? hint}
      </span>
    </div>
  )
}

export function TextField({
  value,
  set,
  inputMode = 'text',
  isOptional = false,
  placeholder,
  ...frame
}: FieldFrameOptions & {
  readonly value: string
  readonly set: (value: string) => void
  readonly inputMode?: 'text' | 'email' | 'decimal' | 'numeric' | 'url'
  readonly isOptional?: boolean
  readonly placeholder?: string
}) {
  return (
    <FieldFrame {...frame}>
      {(control) => (
        <input
          {...control}
          type="text"
          inputMode={inputMode}
          value={value}
          required={!isOptional}
          autocomplete="off"
          spellcheck={false}
          {...(placeholder !== undefined && { placeholder })}
          {...(inputMode === 'decimal' && {
            pattern: '[0-9]+([.][0-9]*)?|[.][0-9]+',
            title: 'A number, such as 5 or 12.50',
          })}
          {...(inputMode === 'numeric' && { pattern: '[0-9]*', title: 'A whole number, such as 10' })}
          onInput={(event) => set(event.currentTarget.value)}
        />
      )}
    </FieldFrame>
  )
}

export function ChoiceField<T extends string>({
  options,
  chosen,
  choose,
  ...frame
}: FieldFrameOptions & {
  readonly options: readonly (readonly [T, string])[]
  readonly chosen: T
  readonly choose: (value: T) => void
}) {
  const pick = (value: string) => {
    const found = options.find(([one]) => one === value)
    if (found !== undefined) choose(found[0])
  }
  return (
    <FieldFrame {...frame}>
      {(control) => (
        <select {...control} value={chosen} onChange={(event) => pick(event.currentTarget.value)}>
          {options.map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      )}
    </FieldFrame>
  )
}

/** A form in a dialog. `run` makes the call; the dialog closes when it succeeds, unless it answers KEEP_OPEN. */
export function FormDialog({
  title,
  verb,
  of,
  run,
  close,
  children,
}: {
  readonly title: string
  readonly verb: string
  readonly of: FormState
  readonly run: () => Promise<unknown>
  readonly close: () => void
  readonly children: ComponentChildren
}) {
  const submit = async (event: Event) => {
    event.preventDefault()
    await of.send(async () => {
      if ((await run()) !== KEEP_OPEN) close()
    })
  }
  return (
    <Dialog title={title} close={close}>
      <form class="stacked-form" ref={of.form} onSubmit={submit}>
        {children}
        {of.problems.text !== undefined && <ProblemBox text={of.problems.text} page={of.page} />}
        <div class="buttons">
          <button type="submit" class="filled" disabled={of.isBusy}>
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
