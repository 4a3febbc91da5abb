/**
 * The tenant that always exists. Its operators run the whole deployment, its agents keep their plain names everywhere,
 * and open mode has no other tenant.
 */
export const DEFAULT_TENANT = 'default'

export const TENANT_ID = '^[a-z][a-z0-9-]{0,39}$'
const TENANT = new RegExp(TENANT_ID)

export function isTenantId(text: string): boolean {
  return TENANT.test(text)
}

/**
 * The name of an agent inside the service and in the log: `<tenant_id>:<agent_id>`, or the plain name for the tenant
 * `default`. An agent_id never contains a colon, so equal names in two tenants never collide.
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

/** An agent's name in answers and claims: its plain name with the prefix of stored names. */
export function shownAgent(scoped: string): string {
  return `agent:${plainAgent(scoped)}`
}

/** An agent's name in leaves: with its tenant, so that the log keeps tenants apart like the service does. */
export function loggedAgent(scoped: string): string {
  return `agent:${scoped}`
}
