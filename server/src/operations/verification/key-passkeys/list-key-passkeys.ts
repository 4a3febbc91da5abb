import type { KeyPasskey } from '@deputize/protocol'
import type { Handler } from '../../operation-context.ts'
import { keyHolderIn } from './key-browser.ts'
import { keyOfPasskey, keyPasskeysIn, keyPasskeyView, maySeeKeyPasskey } from './key-passkey-entries.ts'

/** Leaves out passkeys whose key has ended, which no longer sign in. In open mode there are none. */
export const listKeyPasskeys: Handler<'listKeyPasskeys'> = async ({ caller }, context) => {
  if (caller.role === 'local') return { data: [] }
  const holder = keyHolderIn(caller)
  const data: KeyPasskey[] = []
  for (const passkey of await keyPasskeysIn(holder.tenant_id, context)) {
    if (!maySeeKeyPasskey(holder, passkey)) continue
    const key = await keyOfPasskey(passkey, context)
    if (key !== undefined) data.push(keyPasskeyView(passkey, key.document))
  }
  return { data }
}
