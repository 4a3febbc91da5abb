import { ID_PREFIXES } from '@deputize/protocol'
import { personPath, questionPath } from '../../messages/question-message.ts'
import { isFromSlack, type SlackCall } from '../../messages/slack-signature.ts'
import type { OperationContext } from '../operation-context.ts'

/** A message that Slack shows only to the person who pressed a button. */
interface SlackAnswer {
  readonly response_type: 'ephemeral'
  readonly replace_original: false
  readonly text: string
}

/**
 * Answers a button pressed in Slack. Deputy can't tell who pressed it, so the answer links to the page where they sign
 * in and decide. Undefined if the call isn't from Slack.
 */
export async function takeSlackCall(
  tenant_id: string,
  call: SlackCall,
  { accessControl, clock, public_url }: OperationContext,
): Promise<SlackAnswer | undefined> {
  const secret = (await accessControl.tenants.find(tenant_id))?.messages?.slack_signing_secret
  if (secret === undefined || !isFromSlack(call, secret, clock())) return undefined
  const topic = pressedTopic(call.body)
  const path = topic === undefined ? `${personPath(tenant_id)}#approvals` : questionPath(topic, tenant_id)
  return {
    response_type: 'ephemeral',
    replace_original: false,
    text: `Pressing a button decides nothing. <${public_url()}${path}|Review it in Deputy>.`,
  }
}

const APPROVAL_ID = new RegExp(`^${ID_PREFIXES.approval}[0-9a-v]{36}$`)

/** Returns the button's approval request, if the call names one in the form of this service's buttons. */
function pressedTopic(body: Uint8Array): string | undefined {
  try {
    const payload = new URLSearchParams(Buffer.from(body).toString('utf8')).get('payload') ?? '{}'
    const value: unknown = JSON.parse(payload).actions?.[0]?.value
    return typeof value === 'string' && APPROVAL_ID.test(value) ? value : undefined
  } catch {
    return undefined
  }
}
