/** Channels in the registry. A person's channels are encrypted with the person's key, so an erasure ends them. */
import type { Caller } from '../../access/caller.ts'
import type { ChannelDocument, KnownChannel } from '../../messages/channel.ts'
import type { KeptEntry, RegistryEntry, RegistryReader } from '../../store/port/registry.ts'
import { eachEntry } from '../lists/pages.ts'
import type { OperationContext } from '../operation-context.ts'

export const MOST_CHANNELS = 20

/** A person, or a tenant with its operators. */
export interface ChannelOwner {
  readonly tenant_id: string
  /** Undefined for the tenant. */
  readonly owner: string | undefined
}

/** Returns the owner of a caller's channels. People have their own; all other callers act for the tenant. */
export function channelOwnerOf(caller: Caller): ChannelOwner {
  return { tenant_id: caller.tenant_id, owner: caller.role === 'human' ? caller.human_ref : undefined }
}

/** Returns the channels of an owner, oldest first. */
export async function channelsOf(
  { tenant_id, owner }: ChannelOwner,
  registry: RegistryReader,
): Promise<KnownChannel[]> {
  const page = { limit: MOST_CHANNELS, before: undefined }
  const { entries } = await registry.list(
    kindFor(owner),
    { tenant_id, ...(owner !== undefined && { owner }) },
    page,
  )
  return entries.map(knownChannel).sort((a, b) => (a.channel_id < b.channel_id ? -1 : 1))
}

/**
 * Whether the owner had all the channels they may have before this one was written, besides those that it replaces. Of
 * calls that add channels at the same time, each sees the ones that the log has before its own.
 */
export async function isOneTooMany(
  { channel_id, tenant_id, owner }: ChannelName,
  replaced: readonly KnownChannel[],
  registry: RegistryReader,
): Promise<boolean> {
  const kind = kindFor(owner)
  const written = await registry.entry(kind, channel_id)
  if (written?.document === undefined) return false
  const page = { limit: MOST_CHANNELS + replaced.length, before: written.log_index }
  const { entries } = await registry.list(kind, { tenant_id, ...(owner !== undefined && { owner }) }, page)
  const others = entries.filter(({ id }) => replaced.every((channel) => channel.channel_id !== id))
  return others.length >= MOST_CHANNELS
}

/** Whether any message can be sent. */
export async function hasConfirmedChannel(registry: RegistryReader): Promise<boolean> {
  for (const kind of ['tenant_channel', 'channel'] as const)
    for await (const entry of eachEntry((page) => registry.list(kind, {}, page)))
      if (knownChannel(entry).document.is_confirmed) return true
  return false
}

/** Finds a channel. Undefined once it is removed or its person is erased. */
export async function findChannel(
  channel_id: string,
  registry: RegistryReader,
): Promise<KnownChannel | undefined> {
  const entry =
    (await registry.entry('channel', channel_id)) ?? (await registry.entry('tenant_channel', channel_id))
  return entry !== undefined && isKept(entry) ? knownChannel(entry) : undefined
}

function isKept(entry: RegistryEntry): entry is KeptEntry {
  return entry.document !== undefined
}

function knownChannel({ id, tenant_id, owner, document, log_index }: KeptEntry): KnownChannel {
  return { channel_id: id, tenant_id, owner, document: JSON.parse(document), log_index }
}

type ChannelName = Pick<KnownChannel, 'channel_id' | 'tenant_id' | 'owner'>

/** Writes a channel for `by`. Refuses with `registry_conflict` if the registry entry no longer matches `expects`. */
export async function putChannel(
  channel: ChannelName,
  document: ChannelDocument,
  expects: number | 'absent',
  by: string | undefined,
  { clerk }: Pick<OperationContext, 'clerk'>,
): Promise<void> {
  await clerk.submit({ ...registration(channel), document: JSON.stringify(document), expects, by })
}

/**
 * Removes a channel, in the stop lane: unsubscribing always works. Removing it again changes nothing. `by` names who
 * requested it; undefined for a link in a message, and for the service itself.
 */
export async function dropChannel(
  channel: ChannelName,
  by: string | undefined,
  { clerk }: Pick<OperationContext, 'clerk'>,
): Promise<void> {
  await clerk.submit({ ...registration(channel), document: undefined, expects: 'any', by }, 'stop')
}

function registration({ channel_id: id, tenant_id, owner }: ChannelName) {
  return { kind: 'register', entry_kind: kindFor(owner), id, tenant_id, owner } as const
}

function kindFor(owner: string | undefined) {
  return owner === undefined ? 'tenant_channel' : 'channel'
}
