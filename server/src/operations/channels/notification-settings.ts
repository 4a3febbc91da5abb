/** A person's or tenant's time zone and quiet hours, in the registry. */
import type { ActiveHours } from '@deputize/protocol'
import type { RegistryReader } from '../../store/port/registry.ts'
import type { ChannelOwner } from './channel-entries.ts'

export interface NotificationSettings {
  readonly time_zone?: string
  readonly quiet_hours?: ActiveHours
}

export interface KnownSettings {
  readonly settings: NotificationSettings
  /** Undefined if nothing has been set. */
  readonly log_index: number | undefined
}

export async function settingsOf(owner: ChannelOwner, registry: RegistryReader): Promise<KnownSettings> {
  const entry = await registry.entry('notifications', settingsId(owner))
  const settings = entry?.document === undefined ? {} : JSON.parse(entry.document)
  return { settings, log_index: entry?.log_index }
}

/** Returns the ID of the entry. It is derived from the ref, so a person has one entry in a tenant. */
export function settingsId({ tenant_id, owner }: ChannelOwner): string {
  return owner === undefined ? tenant_id : `${tenant_id} ${owner}`
}
