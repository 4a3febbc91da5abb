import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { anActedEngine } from '@deputize/testing/an-acted-engine.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { answerSteps, type Post } from '../a-capture.ts'
import { hostedCalls } from '../a-hosted-session.ts'
import { addPasskey, aHouse, aVisitor, openPart } from './a-house.ts'
import { assertAccessible } from './accessible.ts'

const scope = { after }
const ALICE = { face: 1 }

describe("the face and voice section of a person's page", async () => {
  const browser = await openBrowser(scope)
  const house = await aHouse(scope, ['erase', 'duress'], { engine: anActedEngine(), l3_passkey: 'optional' })
  const visitor = await aVisitor(browser, house)
  const { page, troubles } = visitor
  const { host } = new URL(house.url)
  const post: Post = (path, body) => house.test.post(path, body, { host })
  const section = page.locator('details#biometrics')

  /** Presses a button that leads to the hosted page, and answers there like a phone that scanned the code. */
  async function enrollThroughPage(button: string): Promise<void> {
    await openPart(page, 'biometrics')
    const code = page.waitForResponse((response) => response.url().endsWith('/transfer'))
    await page.getByRole('button', { name: button, exact: true }).click()
    const { url } = await (await code).json()
    await page.getByText('You started this on your own page.').waitFor()
    const { pathname, hash } = new URL(url)
    const session_id = pathname.split('/')[2]
    const { open } = hostedCalls(post, { session_id })
    const opened = await open({ transfer_code: hash.slice('#t='.length) })
    await answerSteps(post, house.test, opened.body, ALICE)
    const back = page.waitForURL((address) => address.pathname === '/me')
    const judged = await post('/v1/vat/auth/enroll', { session_id, nonce: opened.body.nonce })
    assert.equal(judged.body.enrolled, true, JSON.stringify(judged.body))
    await page.getByRole('heading', { name: 'You’re enrolled' }).waitFor()
    await back
  }

  test('leads through the hosted page to an enrolment, and to another one that replaces it', async () => {
    await openPart(page, 'biometrics')
    await section.getByText('You are not enrolled.').waitFor()
    await enrollThroughPage('Enroll')
    await openPart(page, 'biometrics')
    await section.getByText('Enrolled since').waitFor()
    await enrollThroughPage('Enroll again')
    await openPart(page, 'biometrics')
    await section.getByText('Last replaced').waitFor()
    await assertAccessible(page)
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/me-biometrics.png`, fullPage: true })
  })

  test('requires a fresh sign-in to enroll, and asks for it only then', async () => {
    house.test.clock.advance(6 * 60_000)
    await page.reload()
    await openPart(page, 'biometrics')
    await page.getByRole('button', { name: 'Enroll again' }).click()
    await page.waitForURL((address) => address.pathname === '/sign-in')
    assert.equal(new URL(page.url()).searchParams.get('fresh'), '1')
    const fresh = await aVisitor(browser, house)
    await addPasskey(fresh, 'Laptop')
    await fresh.context.close()
  })

  test('sets, replaces and removes a sign of coercion, each with a passkey, and shows no trace of it', async () => {
    const person = await aVisitor(browser, house)
    await addPasskey(person, 'Phone')
    const { page: me } = person
    const shown = async () => {
      await me.reload()
      await openPart(me, 'biometrics')
      return me.locator('#biometrics').innerHTML()
    }
    const summary = me.getByText('Sign of coercion')
    const confirm = async (button: string) => {
      await me.getByRole('button', { name: button }).click()
      await me.getByText('Change your sign of coercion and who it notifies.').waitFor()
      await me.getByRole('button', { name: 'Confirm with your passkey' }).click()
      await me.getByText('Saved.', { exact: true }).waitFor()
    }
    const before = await shown()
    for (const word of ['butterfly', 'calendar']) {
      await summary.click()
      await me.getByLabel('Word').selectOption(word)
      await me.getByLabel('Gesture').selectOption('victory')
      await me.getByLabel('Who to notify').fill('Ada Lovelace, +44 20 7946 0000\n\nBob')
      if (word === 'butterfly') await assertAccessible(me)
      await confirm('Save the sign')
      assert.equal(await me.getByLabel('Word').inputValue(), '')
      assert.equal(await me.getByLabel('Who to notify').inputValue(), '')
      assert.equal(await me.evaluate('JSON.stringify(sessionStorage).includes("Ada")'), false)
      assert.equal(await shown(), before)
    }
    await summary.click()
    await confirm('Remove the sign')
    assert.equal(await shown(), before)
    assert.deepEqual(person.troubles, [])
  })

  test('exports and deletes the template, each confirmed with a passkey', async () => {
    const person = await aVisitor(browser, house)
    await addPasskey(person, 'Tablet')
    const { page: me } = person
    await openPart(me, 'biometrics')
    const file = me.waitForEvent('download')
    await me.getByRole('button', { name: 'Export your data' }).click()
    await me.getByRole('button', { name: 'Confirm with your passkey' }).click()
    const download = await file
    assert.equal(download.suggestedFilename(), 'biometrics.json')
    const exported = JSON.parse(readFileSync(await download.path(), 'utf8'))
    assert.equal(exported.enrolled, true)
    assert.equal(typeof exported.template.face, 'string')
    await me.getByRole('button', { name: 'Delete your template' }).click()
    await me.getByRole('dialog').getByRole('button', { name: 'Delete your template' }).click()
    await me.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await me.getByText('You are not enrolled.').waitFor()
    assert.deepEqual(person.troubles, [])
    assert.deepEqual(troubles, [])
  })
})
