import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { governed, type ToolDenied } from '@deputize/sdk/ai'
import { anOpenDeployment } from '@deputize/testing/a-deployment.ts'
import { eventually } from '@deputize/testing/eventually.ts'

const { client, token } = await anOpenDeployment({ after })

describe('a governed tool that waits for an approval', () => {
  test('is denied with the note of the person who denied the request', async () => {
    const actions = ['call']
    const { compact_jwt, provenance_ref } = await token({
      actions,
      resources: ['tool:find'],
      constraints: { require_approval: {} },
    })
    const denials: ToolDenied[] = []
    const tools = { find: { execute: async () => assert.fail('the tool was run') } }
    const { find } = governed(tools, client.withAuthority(compact_jwt), {
      on_denied: (denied) => void denials.push(denied),
    })
    const answer = find.execute()
    const question = await eventually('a pending approval', async () => {
      const { data } = await client.listApprovals({ provenance_ref, state: 'pending' })
      return data[0]
    })
    await client.deny({ id: question.approval_id, note: 'Not today.' })
    await assert.rejects(answer, { name: 'ToolDenied' })
    const { code, reasons, approval_state, note, approval_id } = denials[0]?.denial ?? {}
    assert.deepEqual(
      { code, reasons, approval_state, note, approval_id },
      {
        code: 'denied',
        reasons: ['approval_denied'],
        approval_state: 'denied',
        note: 'Not today.',
        approval_id: question.approval_id,
      },
    )
  })
})
