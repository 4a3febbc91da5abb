/** The page /verify: checks the log of this service, and proof packs and receipts. */
import type { AuditProgress } from '@deputize/protocol/verifier'
import { checkFile, checkLog, type Finding, formatCount } from './check.ts'
import { forget, hasMemory, recall } from './memory.ts'

const TITLES = { sound: 'Verified', fault: 'Verification failed', unchecked: 'Could not be checked' } as const

const button = element('check', HTMLButtonElement)
const bar = element('progress', HTMLProgressElement)
const pace = element('pace', HTMLElement)
const drop = element('drop', HTMLElement)
const picker = element('file', HTMLInputElement)

button.addEventListener('click', () => run('log-outcome', () => checkLog(showProgress, enteredKey())))
picker.addEventListener('change', () => checkFirst(picker.files))
element('forget', HTMLButtonElement).addEventListener('click', () => {
  forget()
  showMemory()
})
for (const name of ['dragover', 'dragleave', 'drop'] as const)
  drop.addEventListener(name, (event) => {
    event.preventDefault()
    drop.classList.toggle('over', name === 'dragover')
    if (name === 'drop') checkFirst(event.dataTransfer?.files ?? null)
  })
showMemory()
element('command', HTMLElement).textContent = `deputy verify ${location.origin}`

function element<Kind extends HTMLElement>(id: string, kind: new () => Kind): Kind {
  const found = document.getElementById(id)
  if (!(found instanceof kind)) throw new Error(`the page has no element ${id}`)
  return found
}

/** The key of an operator or auditor. The page does not keep it. */
function enteredKey(): string | undefined {
  const field = document.getElementById('api-key')
  return field instanceof HTMLInputElement && field.value.trim() !== '' ? field.value.trim() : undefined
}

function checkFirst(files: FileList | null): void {
  const file = files?.[0]
  if (file !== undefined) void run('file-outcome', () => checkFile(file))
}

/** Runs one check at a time. Its outcome replaces the previous one. */
async function run(place: string, check: () => Promise<Finding>): Promise<void> {
  if (button.disabled) return
  button.disabled = true
  picker.disabled = true
  const outcome = element(place, HTMLElement)
  outcome.replaceChildren(textOf('p', 'Checking …'))
  started_ms = performance.now()
  outcome.replaceChildren(...cardOf(await check()))
  bar.hidden = true
  pace.textContent = ''
  button.disabled = false
  picker.disabled = false
  picker.value = ''
  showMemory()
}

let started_ms = 0

function showProgress({ checked, of }: AuditProgress): void {
  const per_second = Math.round((checked * 1000) / Math.max(1, performance.now() - started_ms))
  bar.hidden = false
  bar.max = of
  bar.value = checked
  pace.textContent = `${formatCount(checked)} of ${formatCount(of)} entries, ${formatCount(per_second)} per second`
}

function cardOf({ outcome, sentence, facts, notes }: Finding): HTMLElement[] {
  const card = document.createElement('div')
  card.className = `card ${outcome}`
  card.append(textOf('h3', TITLES[outcome]), textOf('p', sentence))
  if (facts.length > 0) {
    const list = document.createElement('dl')
    for (const [name, value] of facts) list.append(textOf('dt', name), textOf('dd', value))
    card.append(list)
  }
  if (notes.length > 0) card.append(proofOf(notes))
  return [card]
}

function proofOf(notes: readonly string[]): HTMLElement {
  const details = document.createElement('details')
  details.append(textOf('summary', 'Checkpoints that prove the fault'))
  details.append(...notes.map((note) => textOf('pre', note)))
  return details
}

function textOf(tag: string, text: string): HTMLElement {
  const node = document.createElement(tag)
  node.textContent = text
  return node
}

function showMemory(): void {
  element('memory', HTMLElement).textContent = memoryText()
  // Before the first check there is nothing to forget.
  element('forget', HTMLButtonElement).hidden = !hasMemory()
}

function memoryText(): string {
  try {
    const memory = recall()
    if (memory === undefined) return 'This browser has not checked this log yet.'
    const { name, id } = memory.key
    const seen =
      memory.kept === undefined
        ? ''
        : ` Last verified with ${formatCount(memory.kept.frontier.size)} entries ${dateOf(memory.checked_at)}.`
    return `This browser has pinned key ${id} of ${name}.${seen}`
  } catch {
    return 'The stored state of this log is damaged. Start over.'
  }
}

/** 2027-01-01T10:20:30.400Z as `on 2027-01-01 at 10:20 UTC`. */
function dateOf(instant = ''): string {
  return `on ${instant.slice(0, 10)} at ${instant.slice(11, 16)} UTC`
}
