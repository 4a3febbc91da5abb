/** Escalates approval requests to more people if they weren't answered in time. */
import { tenantOf } from '@deputize/protocol'
import { currentState, type StoredApproval } from '../../domain/approvals/approval.ts'
import { DAY_MS, MINUTE_MS } from '../../domain/times/time.ts'
import type { OperationContext } from '../operation-context.ts'
import { escalationRefs } from './message-recipients.ts'

/** How long one node may take to record an escalation before another one does. */
const CLAIM_MS = MINUTE_MS

export class QuestionEscalations {
  readonly #context: OperationContext
  /** Questions that may have to be escalated, and when. */
  readonly #due = new Map<string, number>()

  constructor(context: OperationContext) {
    this.#context = context
  }

  async schedule({ approval_id, agent_id, created_at_ms }: StoredApproval): Promise<void> {
    const tenant = await this.#context.accessControl.tenants.find(tenantOf(agent_id))
    const minutes = tenant?.messages?.escalate_after_minutes
    if (minutes !== undefined) this.#due.set(approval_id, created_at_ms + minutes * MINUTE_MS)
  }

  async runOnce(): Promise<void> {
    const now_ms = this.#context.clock()
    for (const [approval_id, due_ms] of this.#due) {
      if (now_ms < due_ms) continue
      if (await this.#isSettled(approval_id)) this.#due.delete(approval_id)
    }
  }

  /** Escalates a request if necessary. False while another node is about to do so. */
  async #isSettled(approval_id: string): Promise<boolean> {
    const { reader, clerk, clock, ephemeral } = this.#context
    const approval = await reader.approval(approval_id)
    if (approval === undefined || currentState(approval, clock()) !== 'pending') return true
    const to = await escalationRefs(approval, this.#context)
    if (to.length === 0) return true
    const mark = { key: `${approval_id} escalated`, value: '{}', owner: undefined }
    if (!(await ephemeral.add('message', { ...mark, expires_at_ms: clock() + CLAIM_MS })))
      return (await ephemeral.get('message', mark.key))?.value === DONE
    await clerk.submit({ kind: 'escalate_approval', approval_id, to })
    // A crash before this line leaves a claim that expires: the same people are asked once more.
    const expires_at_ms = approval.expires_at_ms + DAY_MS
    await ephemeral.replace('message', { ...mark, value: DONE, expires_at_ms })
    return true
  }
}

const DONE = '{"done":true}'
