import type { Passkey } from '@deputize/protocol'
import type { KnownPasskey, PasskeyDocument } from '../../access/passkey-document.ts'

export function passkeyView({
  id,
  human_ref,
  document,
}: Pick<KnownPasskey, 'id' | 'human_ref' | 'document'>): Passkey {
  const { name, assurance_level, made_in_open_mode } = document
  return {
    passkey_id: id,
    human_ref,
    name,
    assurance_level,
    open_mode_only: made_in_open_mode === true,
    ...passkeyMembers(document),
  }
}

type DeviceFacts = Pick<
  PasskeyDocument,
  'transports' | 'backed_up' | 'suspected_clone' | 'created_at' | 'last_used_at'
>

/** Returns the members that every passkey has, whether a person or an API key signs in with it. */
export function passkeyMembers({
  transports,
  backed_up,
  suspected_clone,
  created_at,
  last_used_at,
}: DeviceFacts) {
  return {
    transports: [...transports],
    backed_up,
    suspected_clone: suspected_clone === true,
    created_at,
    ...(last_used_at !== undefined && { last_used_at }),
  }
}
