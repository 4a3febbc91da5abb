import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { choiceIn } from '../app/screens/audit/choice.ts'

const chosen = (query: string) => choiceIn(new URLSearchParams(query))

describe('the scope of an audit pack', () => {
  test("is everything by default, or days of the reader's clock, including the last one", () => {
    assert.deepEqual(chosen(''), {})
    assert.deepEqual(chosen('from=2027-01-01&to=2027-01-31'), {
      from: new Date(2027, 0, 1).toISOString(),
      to: new Date(2027, 1, 1).toISOString(),
    })
    assert.deepEqual(chosen('from=yesterday&to='), {})
  })

  test('names agents and workflows once each', () => {
    assert.deepEqual(chosen('agents=a, b,,a'), { agent_id: ['a', 'b'] })
    assert.deepEqual(chosen('by=workflows&workflow=prov_1,prov_2&agents=a'), {
      workflow: ['prov_1', 'prov_2'],
    })
    assert.equal(chosen('by=workflows'), undefined)
  })
})
