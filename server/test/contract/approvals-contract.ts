import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { Command, ExtendCommand } from '../../src/clerk/command.ts'
import { DENIALS_IN_A_ROW, MOST_OPEN } from '../../src/domain/approvals/approval.ts'
import { issue, type OpenStore, outcomeOf, record, run } from './store-contract.ts'

/** The promises of every store about approval requests, of which each branch below a root token has its share. */
export function approvalsContract(name: string, open: (context: TestContext) => Promise<OpenStore>): void {
  describe(`${name} store, approvals`, () => {
    test('counts denials per branch and in total', async (context) => {
      const store = await open(context)
      const { reasonOf, deny } = await aWorkflow(store)
      for (let count = 0; count < DENIALS_IN_A_ROW.branch; count += 1) await deny(count % 2 ? 'c1' : 'g1')
      const branches = { c1: 'approval_denied', g1: 'approval_denied', c2: 'approval_required' }
      for (const [token, reason] of Object.entries({ ...branches, own: 'approval_required' }))
        assert.equal(await reasonOf(token), reason, token)
      const again = await aWorkflow(await store.reopen(), 'again')
      assert.equal(await again.reasonOf('g1'), 'approval_denied')
      assert.equal(await again.reasonOf('c2'), 'approval_required')
      for (let count = 0; count < DENIALS_IN_A_ROW.branch; count += 1) await again.deny('c2')
      for (const token of ['c1', 'c2', 'own', 'root'])
        assert.equal(await again.reasonOf(token), 'approval_denied', token)
      await again.decide('apr_again-open', 'approved')
      for (const token of ['g1', 'c2', 'root'])
        assert.equal(await again.reasonOf(token), 'approval_required', token)
    })

    test('counts open requests per branch and in total', async (context) => {
      const store = await open(context)
      const { reasonOf } = await aWorkflow(store)
      for (let count = 0; count < MOST_OPEN.branch; count += 1)
        assert.equal(await reasonOf(count % 2 ? 'c1' : 'g1'), 'approval_required')
      assert.equal(await reasonOf('c1'), 'approval_limit_root')
      const again = await aWorkflow(await store.reopen(), 'again')
      assert.equal(await again.reasonOf('g1'), 'approval_limit_root')
      // The open request of each `aWorkflow` counts, too.
      for (let count = 0; count < MOST_OPEN.root - MOST_OPEN.branch - 2; count += 1)
        assert.equal(await again.reasonOf(count % 2 ? 'own' : 'root'), 'approval_required')
      assert.equal(await again.reasonOf('c2'), 'approval_limit_root')
    })
  })
}

/**
 * A root token, a token `own` of the same agent below it, the branch `c1` with `g1`, and the branch `c2`. One request
 * of the root is open.
 */
async function aWorkflow(store: OpenStore, prefix = 'first') {
  let asked = 0
  const ask = async (token: string, suffix = `${prefix}-${asked++}`) => {
    const vat_jti = token === 'root' ? 'vat_root_b' : `vat_sub_${token}`
    const [reply] = await run(store, [
      { ...record('b', suffix, { action: 'send', metadata: `"${suffix}"` }), vat_jti },
    ])
    store.clock.advance(1)
    return { approval_id: `apr_${suffix}`, reason: String(outcomeOf(reply).reasons[0]) }
  }
  const decide = async (approval_id: string, decision: 'approved' | 'denied') => {
    const decider = { refs: ['human'], is_reviewer: false }
    const decided = { kind: 'decide_approval', approval_id, decision, decider, by: 'human' } as const
    outcomeOf((await run(store, [{ ...decided, note: undefined, grant: undefined }]))[0])
    store.clock.advance(1)
  }
  if (prefix === 'first')
    for (const command of [
      asking(),
      delegate('root_b', 'own', 'bot'),
      delegate('root_b', 'c1', 'first'),
      delegate('sub_c1', 'g1', 'bot'),
      delegate('root_b', 'c2', 'second'),
    ])
      outcomeOf((await run(store, [command]))[0])
  assert.equal((await ask('root', `${prefix}-open`)).reason, 'approval_required')
  return {
    decide,
    reasonOf: async (token: string) => (await ask(token)).reason,
    async deny(token: string) {
      const { approval_id, reason } = await ask(token)
      assert.equal(reason, 'approval_required')
      await decide(approval_id, 'denied')
    },
  }
}

function asking(): Command {
  const command = issue('b')
  return {
    ...command,
    claims: { ...command.claims, svc_constraints: { require_approval: { actions: ['send'] } } },
  }
}

function delegate(above: string, name: string, agent: string): ExtendCommand {
  const { claims, ...rest } = issue('b', { agent })
  const jti = `vat_sub_${name}`
  return {
    ...rest,
    kind: 'delegate',
    above_jti: `vat_${above}`,
    claims: { ...claims, jti, svc_delegation_depth: 1, svc_parent_jti: `vat_${above}` },
  }
}
