import { DEFAULT_TENANT, type StepUp } from '@deputize/protocol'
import type { RegistryReader } from '../store/port.ts'

/** What the registry holds about a tenant. */
export interface TenantDocument {
  readonly name: string
  readonly created_at: string
  /** Whether agents may show tokens that are bound to no key. */
  readonly allow_bearer: boolean
  /** What people confirm with a fresh passkey. */
  readonly step_up: readonly StepUp[]
  /** People who may rate and approve for everybody of the tenant. */
  readonly reviewers: readonly string[]
  /** Requests a minute. */
  readonly rate_limit?: number
}

/** The settings with which a tenant begins; the default one has them until somebody changes them. */
export const FIRST_SETTINGS = { allow_bearer: false, step_up: [], reviewers: [] } as const

const DEFAULT_DOCUMENT: TenantDocument = {
  name: 'Default',
  created_at: new Date(0).toISOString(),
  ...FIRST_SETTINGS,
}

/** How long settings are believed without asking again. */
const REMEMBERED_MS = 2_000
const MOST_REMEMBERED = 10_000

/** The settings of tenants. What was changed here is known at once, what was changed on another node within two seconds. */
export interface Tenants {
  /** Undefined for a tenant that does not exist. */
  find(tenant_id: string): Promise<TenantDocument | undefined>
  forget(tenant_id: string): void
}

export function tenants(registry: RegistryReader, clock: () => number): Tenants {
  const remembered = new Map<
    string,
    { readonly until_ms: number; readonly found: TenantDocument | undefined }
  >()

  return {
    async find(tenant_id) {
      const known = remembered.get(tenant_id)
      if (known !== undefined && clock() < known.until_ms) return known.found
      const found = documentOf(tenant_id, (await registry.entry('tenant', tenant_id))?.document)
      if (remembered.size >= MOST_REMEMBERED) remembered.clear()
      remembered.set(tenant_id, { until_ms: clock() + REMEMBERED_MS, found })
      return found
    },
    forget: (tenant_id) => void remembered.delete(tenant_id),
  }
}

/** The tenant behind an entry of the registry; the default one is there without any. */
export function documentOf(tenant_id: string, document: string | undefined): TenantDocument | undefined {
  if (document !== undefined) return JSON.parse(document)
  return tenant_id === DEFAULT_TENANT ? DEFAULT_DOCUMENT : undefined
}
