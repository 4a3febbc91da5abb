/** Formats amounts, times and names for messages. */
import { shownAgent, toUsd, withoutAgentPrefix } from '@deputize/protocol'
import { messageText } from './message.ts'

/** Created on first use, because it loads language data that the service's start doesn't need. */
let dollars: Intl.NumberFormat | undefined

function dollarFormat(): Intl.NumberFormat {
  dollars ??= new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  })
  return dollars
}

/** Formats an amount with two decimals, or up to six if it has more. */
export function amountText(micro_usd: number): string {
  return usdText(toUsd(micro_usd))
}

export function usdText(usd: number): string {
  return dollarFormat().format(usd)
}

/** Formats an instant by the clock of a time zone, which the text names. */
export function instantText(at_ms: number, time_zone: string | undefined): string {
  return new Intl.DateTimeFormat('en-GB', {
    timeZone: time_zone ?? 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  }).format(at_ms)
}

/** Returns the agent's registered name, or its id. */
export function askerName(agent_id: string, display_name: string | undefined): string {
  return messageText(display_name ?? askerId(agent_id), 80)
}

/** Returns the agent's id. A registered name can be anything, such as the name or the id of another agent. The id cannot. */
export function askerId(agent_id: string): string {
  return withoutAgentPrefix(shownAgent(agent_id))
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
