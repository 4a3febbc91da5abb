/** Shows the action and waits for confirmation. */
export function ask(words: readonly string[], yes: string): Promise<boolean> {
  const dialog = document.getElementById('confirm')
  const place = document.getElementById('confirm-words')
  const confirm = document.getElementById('confirm-yes')
  const cancel = document.getElementById('confirm-no')
  if (!(dialog instanceof HTMLDialogElement) || place === null || confirm === null || cancel === null)
    throw new Error('the page has no confirmation dialog')
  place.replaceChildren(...words.map(paragraph))
  confirm.textContent = yes
  return new Promise((resolve) => {
    confirm.onclick = () => dialog.close('yes')
    cancel.onclick = () => dialog.close('no')
    dialog.onclose = () => resolve(dialog.returnValue === 'yes')
    dialog.returnValue = 'no'
    dialog.showModal()
  })
}

function paragraph(text: string): HTMLElement {
  const made = document.createElement('p')
  made.textContent = text
  return made
}
