/** 1.5 as $1.50; as many decimals as the amount has, and at least two. */
export function dollars(usd: number): string {
  const [, decimals = ''] = String(usd).split('.')
  return `$${usd.toFixed(Math.max(2, Math.min(6, decimals.length)))}`
}

/** An instant to the second, in UTC as the service tells it. */
export function moment(instant: string): string {
  return instant.slice(0, 19).replace('T', ' ')
}

/** An agent without the prefix of stored names. */
export function agentName(agent_id: string): string {
  return agent_id.replace(/^agent:/, '')
}

/** A long digest, as much of it as tells people apart. */
export function shortRef(ref: string): string {
  return ref.slice(0, 'sha256:'.length + 12)
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`
}
