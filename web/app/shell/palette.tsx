/** Ctrl K: goes to any screen, agent or ID. */
import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { useLoad } from '../api/load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { navigate } from '../router.ts'
import { addressOfId, agentPlace, agentWord } from '../words/ids.ts'
import { openHelp } from './help.tsx'
import { PLACES } from './places.ts'
import { can } from './session.ts'
import { nextTheme } from './theme.ts'

const isOpen = signal(false)

export function openPalette(): void {
  isOpen.value = true
}

export function Palette() {
  return isOpen.value ? <OpenPalette close={() => (isOpen.value = false)} /> : null
}

interface Entry {
  readonly key: string
  readonly word: string
  readonly kind: string
  readonly run: () => void
}

const go = (href: string) => () => navigate(href)

const COMMANDS: readonly Entry[] = [
  { key: 'theme', word: 'Change the theme', kind: 'Command', run: nextTheme },
  { key: 'help', word: 'Keyboard help', kind: 'Command', run: openHelp },
]

function OpenPalette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('')
  const [marked, mark] = useState(0)
  const wanted = text.trim()
  const isSearch = wanted !== '' && addressOfId(wanted) === undefined && can('listAgents')
  const { data } = useLoad('listAgents', isSearch ? { q: wanted, limit: 8 } : undefined, { live: false })
  const entries = entriesFor(wanted, data?.data ?? [])
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    close()
    entry.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) mark(Math.min(entries.length - 1, Math.max(0, marked + by)))
    else if (event.key === 'Enter') run(entries[marked])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Go to" close={close} kind="palette">
      <input
        type="text"
        role="combobox"
        aria-label="A screen, an agent or an ID"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={entries[marked] === undefined ? undefined : `palette-${marked}`}
        autocomplete="off"
        spellcheck={false}
        placeholder="A screen, an agent or an ID"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value)
          mark(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-list" role="listbox" aria-label="Results">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input holds the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
          <div
            key={entry.key}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === marked}
            onClick={() => run(entry)}
          >
            <span>{entry.word}</span>
            <span class="dim">{entry.kind}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p class="dim">Nothing matches. Paste an ID, or type the name of an agent.</p>}
    </Dialog>
  )
}

interface FoundAgent {
  readonly agent_id: string
  readonly display_name?: string
}

/** Sorts agents whose name or ID begins with the text first. */
function byStart(agents: readonly FoundAgent[], wanted: string): FoundAgent[] {
  const begins = ({ agent_id, display_name = '' }: FoundAgent) =>
    [agentWord(agent_id), display_name].some((name) => name.toLowerCase().startsWith(wanted.toLowerCase()))
  return [...agents.filter(begins), ...agents.filter((agent) => !begins(agent))]
}

function entriesFor(wanted: string, agents: readonly FoundAgent[]): Entry[] {
  const direct = addressOfId(wanted)
  if (direct !== undefined) return [{ key: wanted, word: wanted, kind: 'Open', run: go(direct) }]
  const matches = (word: string) => word.toLowerCase().includes(wanted.toLowerCase())
  return [
    ...PLACES.filter(({ word, needs }) => matches(word) && can(needs)).map(({ href, word }) => ({
      key: href,
      word,
      kind: 'Screen',
      run: go(href),
    })),
    ...byStart(agents, wanted).map(({ agent_id, display_name }) => ({
      key: agent_id,
      word: display_name ?? agentWord(agent_id),
      kind: display_name === undefined ? 'Agent' : `Agent ${agentWord(agent_id)}`,
      run: go(agentPlace(agent_id)),
    })),
    ...COMMANDS.filter(({ word }) => matches(word)),
  ]
}
