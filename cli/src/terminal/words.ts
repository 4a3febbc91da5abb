/** 1.5 as $1.50: at least two decimals. */
export function dollars(usd: number): string {
  const [, decimals = ''] = String(usd).split('.')
  return `${usd < 0 ? '-' : ''}$${Math.abs(usd).toFixed(Math.max(2, Math.min(6, decimals.length)))}`
}

/** A time to the second: 2027-01-31 12:00:00 UTC. */
export function moment(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`
}

/** The agent ID without the prefix `agent:`. */
export function agentName(agent_id: string): string {
  return agent_id.replace(/^agent:/, '')
}

/** The start of a digest, enough to tell people apart. */
export function shortRef(ref: string): string {
  return ref.slice(0, 'sha256:'.length + 12)
}

/** 1 token, 2 tokens. */
export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`
}

/** A time span in its largest unit, rounded down: 42 min. */
export function duration(span_ms: number): string {
  const minutes = Math.floor(Math.max(0, span_ms) / 60_000)
  if (minutes < 1) return '< 1 min'
  if (minutes < 120) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : count(Math.floor(minutes / 1440), 'day')
}
