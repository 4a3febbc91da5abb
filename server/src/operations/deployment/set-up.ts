import { AuthorityError, DEFAULT_TENANT } from '@deputize/protocol'
import { firstOperator } from '../../access/access-control.ts'
import type { Handler, OperationContext, UntypedCall } from '../operation-context.ts'
import { withoutReplay } from '../submit-command.ts'
import { addApiKey, changeApiKey, loadApiKey, type NewKeyView } from './api-key-entry.ts'

/** Creates the first operator key, for a caller that has the setup secret that the service printed at startup. */
export const setUp: Handler<'setUp'> = async (call, context) => {
  const { setup_secret, name = 'first operator' } = call.body
  const { setup } = context.accessControl
  if (setup === undefined || (await firstOperatorKey(context)) !== undefined)
    throw new AuthorityError('already_set_up')
  if (!setup.matches(setup_secret))
    throw new AuthorityError(
      'credential_invalid',
      'The setup secret is wrong. Use the one that the service printed when it last started.',
      { reason: 'wrong_secret' },
    )
  if (!setup.use()) throw new AuthorityError('already_set_up')
  try {
    return await addFirstOperator(name, call, context)
  } catch (error) {
    setup.giveBack()
    throw error
  }
}

/**
 * Each node has its own secret. If several nodes create a key at once, the first in the log is kept. A crash before the
 * surplus key is deleted leaves it in the registry, but no caller has received its text.
 */
async function addFirstOperator(
  name: string,
  call: UntypedCall,
  context: OperationContext,
): Promise<NewKeyView> {
  const created = await addApiKey({ tenant_id: DEFAULT_TENANT, name, role: 'operator' }, call, context)
  if ((await firstOperatorKey(context)) === created.key_id) return created
  await changeApiKey(await loadApiKey(created.key_id, context), undefined, withoutReplay(call), context)
  throw new AuthorityError('already_set_up')
}

function firstOperatorKey({ reader, clock }: OperationContext): Promise<string | undefined> {
  return firstOperator(reader.registry, clock())
}
