import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { together } from '../src/verify/together.ts'

const PATIENCE_MS = 50
const never = new Promise<string>(() => {})

describe('shared work', () => {
  test('runs once for concurrent callers, and again for later ones', async () => {
    let begun = 0
    const work = together(async () => {
      begun += 1
      return begun
    })
    assert.deepEqual(await Promise.all([work.ask(), work.ask(), work.ask()]), [1, 1, 1])
    assert.equal(work.isUnderWay(), false)
    assert.equal(await work.ask(), 2)
  })

  test('is started again by a waiting caller if it never settles', async () => {
    let begun = 0
    const work = together(() => {
      begun += 1
      return begun === 1 ? never : Promise.resolve('done')
    }, PATIENCE_MS)
    void work.ask() // the first caller disconnected, and its work stopped
    assert.deepEqual(await Promise.all([work.ask(), work.ask(), work.ask()]), ['done', 'done', 'done'])
    assert.equal(begun, 2)
    assert.equal(work.isUnderWay(), false)
  })

  test('fails for all waiting callers, and then starts again', async () => {
    let begun = 0
    const work = together(async () => {
      begun += 1
      if (begun === 1) throw new Error('the first')
      return begun
    })
    const answers = await Promise.allSettled([work.ask(), work.ask()])
    assert.deepEqual(
      answers.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await work.ask(), 2)
  })
})
