/** What a person reads before agents are stopped. */
export interface StopPreview {
  readonly agents: readonly string[]
  readonly live_tokens: number
  readonly pending_records: number
  readonly reserved_usd: number
}

export interface StopQuestion {
  readonly title: string
  readonly words: readonly string[]
  readonly yes: string
}

const FINAL = "It takes effect immediately and can't be undone."
const MOST_NAMES = 5

/** Without previews the question has no counts, but stopping works. `names` maps IDs of agents to their names. */
export function stopQuestion(
  name: string,
  previews: readonly StopPreview[],
  names: ReadonlyMap<string, string> = new Map(),
): StopQuestion {
  const title = `Stop ${name}?`
  if (previews.length === 0)
    return {
      title,
      words: [`This stops ${name} and everything that acts with its authority. ${FINAL}`],
      yes: 'Stop',
    }
  const sum = (of: (one: StopPreview) => number) => previews.reduce((before, one) => before + of(one), 0)
  const agents = [...new Set(previews.flatMap((one) => one.agents))].map(
    (one) => names.get(one) ?? one.replace(/^agent:/, ''),
  )
  const pending = sum((one) => one.pending_records)
  const reserved = sum((one) => one.reserved_usd)
  const shown = agents.slice(0, MOST_NAMES).join(', ')
  const more = agents.length > MOST_NAMES ? ` and ${agents.length - MOST_NAMES} more` : ''
  const what = [count(agents.length, 'agent'), ...(pending === 0 ? [] : [count(pending, 'open action')])]
  return {
    title,
    words: [
      `This stops ${what.join(' and ')}. ${FINAL}`,
      ...(agents.length > 1 ? [`Agents: ${shown}${more}.`] : []),
      ...(reserved > 0 ? [`It frees ${usd(reserved)} that open actions had reserved.`] : []),
    ],
    yes: `Stop ${count(agents.length, 'agent')}`,
  }
}

function usd(amount: number): string {
  return amount.toLocaleString('en-US', { style: 'currency', currency: 'USD' })
}

function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`
}
