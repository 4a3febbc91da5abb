import { type ChannelKind, DEFAULT_TENANT, type StepUp } from '@deputize/protocol'
import type { ReviewSettings } from '../domain/tokens/inner-limits.ts'
import type { FaceApprovalRule } from '../domain/verification/face-approval.ts'
import type { ProviderChoice } from '../domain/verification/provider-choice.ts'
import type { RegistryReader } from '../store/port/registry.ts'

/** What the registry stores about a tenant. */
export interface TenantDocument {
  readonly name: string
  readonly created_at: string
  /** Whether agents may present tokens that are not bound to a key. */
  readonly allow_bearer: boolean
  /** What people must confirm with a passkey. */
  readonly step_up: readonly StepUp[]
  /** People who may rate and approve for everyone in the tenant. */
  readonly reviewers: readonly string[]
  /** Requests per minute. Null: the setting was removed. */
  readonly rate_limit?: number | null
  /** Kinds of authenticators that people may register. Empty or absent: any. */
  readonly passkey_aaguids?: readonly string[]
  /** Which approvals need a face. Null: the setting was removed. */
  readonly face_approvals?: FaceApprovalRule | null
  /** Who verifies people. Null: the setting was removed. */
  readonly verification?: ProviderChoice | null
  /** What is held for review. */
  readonly review?: ReviewSettings
  /** How messages reach people. Null: the setting was removed. */
  readonly messages?: MessageRules | null
}

export interface MessageRules {
  /** Absent: any. */
  readonly channels?: readonly ChannelKind[]
  readonly escalate_after_minutes?: number
  /** Absent: all reviewers. */
  readonly escalate_to?: readonly string[]
  readonly slack_signing_secret?: string
}

/** The initial settings of a tenant. */
export const FIRST_SETTINGS = { allow_bearer: false, step_up: [], reviewers: [] } as const

const DEFAULT_DOCUMENT: TenantDocument = {
  name: 'Default',
  created_at: new Date(0).toISOString(),
  ...FIRST_SETTINGS,
}

/** How long settings are cached. */
const REMEMBERED_MS = 2_000
const MOST_REMEMBERED = 10_000

/** The settings of tenants. Changes on this node are visible at once, changes on another node within two seconds. */
export interface Tenants {
  /** Returns undefined if the tenant doesn't exist. */
  find(tenant_id: string): Promise<TenantDocument | undefined>
  forget(tenant_id: string): void
}

export function openTenants(registry: RegistryReader, clock: () => number): Tenants {
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

/** Returns the tenant in a registry entry. The default tenant exists without an entry. */
export function documentOf(tenant_id: string, document: string | undefined): TenantDocument | undefined {
  if (document !== undefined) return JSON.parse(document)
  return tenant_id === DEFAULT_TENANT ? DEFAULT_DOCUMENT : undefined
}
