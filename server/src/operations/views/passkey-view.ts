import type { Passkey } from '@deputize/protocol'
import type { KnownPasskey } from '../../access/passkey-document.ts'

export function passkeyView({
  id,
  human_ref,
  document,
}: Pick<KnownPasskey, 'id' | 'human_ref' | 'document'>): Passkey {
  const { name, assurance_level, transports, backed_up, suspected_clone, created_at, last_used_at } = document
  return {
    passkey_id: id,
    human_ref,
    name,
    assurance_level,
    transports: [...transports],
    backed_up,
    suspected_clone: suspected_clone === true,
    created_at,
    ...(last_used_at !== undefined && { last_used_at }),
  }
}
