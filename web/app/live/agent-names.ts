/** Reads the names of the agents that a screen shows, together, and each only once until its profile changes. */
import { callService } from '../api/client.ts'
import { openReads } from '../api/load.ts'
import { can } from '../shell/session.ts'
import { agentNames, askForNamesWith } from '../words/agent-names.ts'
import { agentWord } from '../words/ids.ts'

const MOST_NAMES = 100
/** Proxies may refuse longer addresses. */
const LONGEST_QUERY = 4000

const asked = new Set<string>()
let waiting: string[] = []
let reading: Promise<unknown> = Promise.resolve()

export function startNames(): void {
  askForNamesWith(want)
}

function want(word: string): void {
  if (word === '' || word.includes(',') || asked.has(word) || !can('listAgents')) return
  asked.add(word)
  waiting.push(word)
  if (waiting.length > 1) return
  // A screen appears together with its names, so they count as one of its reads.
  openReads.value = openReads.peek() + 1
  reading = Promise.all([reading, Promise.resolve().then(readWaiting)])
}

/** Resolves once every name requested so far is known, or couldn't be read. */
export async function namesAreRead(): Promise<void> {
  await reading
}

/** Rereads a name that was shown before. */
export function renewName(agent_id: string): void {
  const word = agentWord(agent_id)
  if (!agentNames.peek().has(word)) return
  asked.delete(word)
  want(word)
}

async function readWaiting(): Promise<void> {
  const words = waiting
  waiting = []
  await Promise.all(portions(words).map(readNames))
  openReads.value = openReads.peek() - 1
}

async function readNames(words: readonly string[]): Promise<void> {
  try {
    const { data } = await callService('listAgents', { agent_ids: words.join(','), limit: words.length })
    const names = new Map(data.map(({ agent_id, display_name }) => [agentWord(agent_id), display_name]))
    agentNames.value = new Map([
      ...agentNames.peek(),
      ...words.map((word) => [word, names.get(word) ?? word] as const),
    ])
  } catch {
    // The IDs stay on the screen, and the next screen that shows them asks again.
    for (const word of words) asked.delete(word)
  }
}

/** Splits the words into portions that fit in one call. */
function portions(words: readonly string[]): string[][] {
  const all: string[][] = [[]]
  let length = 0
  for (const word of words) {
    const last = all.at(-1) ?? []
    length += encodeURIComponent(word).length + 3
    if (last.length > 0 && (last.length === MOST_NAMES || length > LONGEST_QUERY)) {
      all.push([word])
      length = encodeURIComponent(word).length + 3
    } else last.push(word)
  }
  return all
}
