/** The names that people gave to agents. A screen shows a name once it is known, and the ID until then. */
import { computed, signal } from '@preact/signals'
import { agentWord, personWord } from './ids.ts'

/** By ID without prefix. An agent without a display name is known by its ID. */
export const agentNames = signal<ReadonlyMap<string, string>>(new Map())

let ask: (word: string) => void = () => undefined

/** `asking` is called for each agent whose name is needed but unknown. */
export function askForNamesWith(asking: (word: string) => void): void {
  ask = asking
}

const usesOfNames = computed(() => {
  const uses = new Map<string, number>()
  for (const [word, name] of agentNames.value)
    for (const one of new Set([comparable(word), comparable(name)])) uses.set(one, (uses.get(one) ?? 0) + 1)
  return uses
})

function comparable(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/**
 * What people call an agent, followed by its ID if another agent has that name, or has it as its ID. `given` is the
 * name that came with the data.
 */
export function nameOfAgent(agent_id: string, given?: string): string {
  const word = agentWord(agent_id)
  const known = agentNames.value.get(word)
  if (known === undefined) ask(word)
  const name = known ?? given ?? word
  const isShared = name !== word && (usesOfNames.value.get(comparable(name)) ?? 0) > 1
  return isShared ? `${name} (${word})` : name
}

const SHORT_START = 24
const SHORT_END = 15

/** A name for places with little room. Its end stays, because the IDs of agents with the same name differ there. */
export function shortName(name: string): string {
  const letters = [...name]
  if (letters.length <= SHORT_START + SHORT_END + 1) return name
  const [start, end] = [letters.slice(0, SHORT_START), letters.slice(-SHORT_END)]
  return `${start.join('').trimEnd()}…${end.join('').trimStart()}`
}

/** The name of a person or an agent. */
export function nameOfSubject(subject: string): string {
  return subject.startsWith('agent:') ? nameOfAgent(subject) : personWord(subject)
}
