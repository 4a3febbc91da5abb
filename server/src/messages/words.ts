/** How amounts, times and actions read in a message. */
import { shownAgent, toUsd, withoutAgentPrefix } from '@deputize/protocol'
import { messageText } from './message.ts'

/** Made at the first use: it loads the data of languages, which the start of the service does not need. */
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

/** An amount with two decimals, or as many as it has. */
export function amountText(micro_usd: number): string {
  return usdText(toUsd(micro_usd))
}

export function usdText(usd: number): string {
  return dollarFormat().format(usd)
}

/** An instant by the clock of a time zone, which the text names. */
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

/** The name that the agent has registered, or its id. */
export function askerName(agent_id: string, display_name: string | undefined): string {
  return messageText(display_name ?? withoutAgentPrefix(shownAgent(agent_id)), 80)
}

export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
