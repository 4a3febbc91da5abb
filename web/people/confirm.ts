export interface ConfirmDialog {
  readonly title?: string
  readonly words: readonly (string | Element)[]
  readonly yes: string
  /** `danger`: a red button, for what can't be undone. `only`: there is nothing to cancel. */
  readonly look?: 'danger' | 'only'
}

/** Shows the action and waits for confirmation. */
export async function ask({ title = 'Confirm', words, yes, look }: ConfirmDialog): Promise<boolean> {
  const dialog = document.getElementById('confirm')
  const heading = document.getElementById('confirm-title')
  const place = document.getElementById('confirm-words')
  const confirm = document.getElementById('confirm-yes')
  const cancel = document.getElementById('confirm-no')
  if (!(dialog instanceof HTMLDialogElement) || !heading || !place || !confirm || !cancel)
    throw new Error('the page has no confirmation dialog')
  if (dialog.open) await new Promise((resolve) => dialog.addEventListener('close', resolve, { once: true }))
  heading.textContent = title
  place.replaceChildren(...words.map((word) => (typeof word === 'string' ? paragraph(word) : word)))
  confirm.textContent = yes
  confirm.className = look === 'danger' ? 'bad' : ''
  cancel.hidden = look === 'only'
  return new Promise((resolve) => {
    confirm.onclick = () => dialog.close('yes')
    cancel.onclick = () => dialog.close('no')
    dialog.onclose = () => resolve(dialog.returnValue === 'yes')
    dialog.returnValue = 'no'
    dialog.showModal()
    // Enter must not press a button that can't be undone.
    if (look === 'danger') cancel.focus()
  })
}

/** Asks for a text, which may be empty. Undefined if the person cancelled. */
export async function askText(
  label: string,
  options: Pick<ConfirmDialog, 'title' | 'yes'>,
): Promise<string | undefined> {
  const field = document.createElement('textarea')
  field.id = 'confirm-text'
  field.rows = 3
  field.maxLength = 2000
  const name = document.createElement('label')
  name.htmlFor = field.id
  name.textContent = label
  const answer = ask({ ...options, words: [name, field] })
  field.focus()
  return (await answer) ? field.value.trim() : undefined
}

/** Whether a question is on the screen. */
export function isAsking(): boolean {
  return document.querySelector('dialog[open]') !== null
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement('p')
  made.textContent = text
  return made
}
