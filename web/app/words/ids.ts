const SHORT_START = 4
const SHORT_END = 5

/** The first 4 and last 5 characters. IDs begin with their kind; the prefixes of hashes and agents are left out. */
export function shortId(given: string): string {
  const id = given.replace(/^(?:sha256|agent):/, '')
  return id.length <= SHORT_START + SHORT_END + 1 ? id : `${id.slice(0, SHORT_START)}…${id.slice(-SHORT_END)}`
}

/** The ID of an agent without its prefix. To show it to people, see `nameOfAgent`. */
export function agentWord(agent_id: string): string {
  return agent_id.replace(/^agent:/, '')
}

/** A person, by the ends of their ref: screens know no names. */
export function personWord(human_ref: string): string {
  return `Person ${shortId(human_ref)}`
}

export function personPlace(human_ref: string): string {
  return `/app/people/${encodeURIComponent(human_ref)}`
}

export function trustPlace(subject: string): string {
  return `/app/trust/${encodeURIComponent(subject)}`
}

const PLACES: readonly (readonly [RegExp, string])[] = [
  [/^vat_(?:root|sub)_\w+$/, '/app/tokens/'],
  [/^aar_\w+$/, '/app/actions/'],
  [/^den_\w+$/, '/app/denials/'],
  [/^apr_\w+$/, '/app/approvals/'],
  [/^prov_\w+$/, '/app/workflows/'],
]

/** The address that shows an ID. Undefined if the text isn't an ID. */
export function addressOfId(text: string): string | undefined {
  const id = text.trim()
  const found = PLACES.find(([pattern]) => pattern.test(id))
  if (found !== undefined) return `${found[1]}${id}`
  if (/^sha256:[0-9a-f]{64}$/.test(id)) return personPlace(id)
  return id.startsWith('agent:') && id.length > 'agent:'.length ? agentPlace(id) : undefined
}

export function agentPlace(agent_id: string): string {
  return `/app/agents/${encodeURIComponent(agentWord(agent_id))}`
}

/** The address of an ID that came from the service. */
export function idPlace(id: string): string {
  return addressOfId(id) ?? '/app'
}
