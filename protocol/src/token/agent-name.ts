/**
 * The tenant that is there from the start. Its operators look after the whole deployment, its agents go by their plain
 * names everywhere, and open mode has no other.
 */
export const DEFAULT_TENANT = 'default'

export const TENANT_ID = '^[a-z][a-z0-9-]{0,39}$'
const TENANT = new RegExp(TENANT_ID)

export function isTenantId(text: string): boolean {
  return TENANT.test(text)
}

/**
 * How an agent is called inside the service and in the log: `<tenant_id>:<agent_id>`, and by its plain name where the
 * tenant is `default`. No agent_id holds a colon, so that equal names of two tenants never meet.
 */
export function scopedAgent(tenant_id: string, agent_id: string): string {
  return tenant_id === DEFAULT_TENANT ? agent_id : `${tenant_id}:${agent_id}`
}

/** The name that its tenant gave it. */
export function plainAgent(scoped: string): string {
  return scoped.slice(scoped.indexOf(':') + 1)
}

export function tenantOf(scoped: string): string {
  const colon = scoped.indexOf(':')
  return colon === -1 ? DEFAULT_TENANT : scoped.slice(0, colon)
}

/** An agent as answers and claims show it: its plain name with the prefix of stored names. */
export function shownAgent(scoped: string): string {
  return `agent:${plainAgent(scoped)}`
}

/** An agent as leaves name it: with its tenant, so that the log tells apart what the service does. */
export function loggedAgent(scoped: string): string {
  return `agent:${scoped}`
}
