import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ListedApproval } from '../../sdk/node/src/generated/operations.ts'
import { budgetsAfter, mayApproveTogether, toggled, totalSpend } from '../app/screens/approvals/selection.ts'

type OpenRequest = Pick<ListedApproval, 'approval_id' | 'agent_id' | 'action' | 'spend_usd' | 'token'>

function request(spend_usd: number, budget?: readonly [string, number], action = 'buy'): OpenRequest {
  const approval_id = `apr_${spend_usd}`
  if (budget === undefined) return { approval_id, agent_id: 'agent:a', action, spend_usd }
  const [jti, remaining_usd] = budget
  const tightest = { jti, allocated_usd: 500, spent_usd: 0, reserved_usd: 0, remaining_usd }
  const token: ListedApproval['token'] = {
    status: 'live',
    expires_at: '2027-01-01T00:00:00Z',
    delegation_depth: 0,
    asked_because: ['action'],
    tightest,
  }
  return { approval_id, agent_id: 'agent:a', action, spend_usd, token }
}

describe('several requests at once', () => {
  test('are approved together only if one agent asks for one action', () => {
    assert.equal(mayApproveTogether([request(1), request(2)]), true)
    assert.equal(mayApproveTogether([request(1), request(2, undefined, 'sell')]), false)
    assert.equal(mayApproveTogether([request(1), { ...request(2), agent_id: 'agent:b' }]), false)
    assert.equal(mayApproveTogether([]), false)
  })

  test('are added up for each budget', () => {
    const requests = [request(0.1, ['x', 10]), request(0.2, ['x', 10]), request(5, ['y', 4]), request(7)]
    assert.equal(totalSpend(requests), 12.3)
    assert.deepEqual(budgetsAfter(requests), [
      { jti: 'x', remaining_usd: 10, after_usd: 9.7 },
      { jti: 'y', remaining_usd: 4, after_usd: -1 },
    ])
    assert.deepEqual(budgetsAfter([request(7)]), [])
  })

  test('are selected and deselected one by one', () => {
    const one = toggled(new Set(), 'apr_1')
    assert.deepEqual([...toggled(one, 'apr_2')], ['apr_1', 'apr_2'])
    assert.deepEqual([...toggled(one, 'apr_1')], [])
    assert.deepEqual([...one], ['apr_1'], 'the selection before stays as it was')
  })
})
