import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { AxeBuilder } from '@axe-core/playwright'
import { PASSKEY_REASONS, STEP_UP_REASONS } from '@deputize/protocol'
import { openBrowser } from '@deputize/testing/browser.ts'
import type { Page } from 'playwright-core'
import { buildPeopleScript, PEOPLE_SCRIPT_FILE } from '../../../web/build.ts'
import { checkData } from '../../src/check/check-data.ts'
import { addPasskey, aHouse, aVisitor } from './a-house.ts'

const scope = { after }
const SAVED = process.env.SCREENSHOTS

test('the script of the pages is built from its sources', async () => {
  assert.equal(readFileSync(PEOPLE_SCRIPT_FILE, 'utf8'), await buildPeopleScript(), 'run: node web/build.ts')
})

describe('the pages for people, in a real browser with a virtual authenticator', async () => {
  const browser = await openBrowser(scope)

  async function shoot(page: Page, name: string): Promise<void> {
    if (SAVED === undefined) return
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({ path: `${SAVED}/${name}-${width}.png`, fullPage: true })
    }
  }

  async function assertAccessible(page: Page): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const { violations } = await new AxeBuilder({ page }).analyze()
      assert.deepEqual(
        violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
        [],
        colorScheme,
      )
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }

  test('show the agents that act for me, and register a passkey that signs me in', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const text = await page.locator('main').innerText()
    for (const words of [
      'agent:calendar-bot',
      'Can read, write, delegate on calendar:events, email:read',
      '$20 of $20 left',
      'Keeps the calendar tidy',
      'agent:calendar-bot may write calendar:events for $5?',
      'agent:calendar-bot read calendar:events',
    ])
      assert.ok(text.includes(words), `${words} is not in ${text}`)
    await assertAccessible(page)
    await addPasskey(visitor, 'Laptop')
    await assertAccessible(page)
    await shoot(page, 'me')
    await page.emulateMedia({ colorScheme: 'dark' })
    await shoot(page, 'me-dark')
    await page.emulateMedia({ colorScheme: 'light' })

    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/sign-in/)
    await assertAccessible(page)
    await shoot(page, 'sign-in')
    assert.equal((await visitor.api('GET', '/v1/vat/auth/me')).status, 401)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.waitForURL(`${house.url}/me`)
    const me = await visitor.api('GET', '/v1/vat/auth/me')
    assert.deepEqual(
      [me.body.human_ref, me.body.assurance_level, me.body.amr, me.body.passkeys],
      [house.agent.human_ref, 'L2', ['hwk', 'user', 'mfa'], 1],
    )
    const cookie = (await visitor.context.cookies()).find(({ name }) => name === 'deputy_session')
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('stop one agent, then all agents, with the keyboard alone', async () => {
    const house = await aHouse(scope)
    const { page, troubles, context } = await aVisitor(browser, house)
    await tabTo(page, 'Stop agent:calendar-bot')
    await page.keyboard.press('Enter')
    await page.getByRole('status').filter({ hasText: 'Stopped agent:calendar-bot' }).waitFor()
    const chain = await house.test.reader.chain(house.agent.jti)
    assert.notEqual(chain?.[0].state.revoked_at_ms, undefined)
    await page.reload()
    await page.getByText('No agent acts for you.').waitFor()

    const other = await aHouse(scope)
    const second = await aVisitor(browser, other)
    await tabTo(second.page, 'Stop all agents')
    await second.page.keyboard.press('Space')
    await second.page.getByRole('dialog').waitFor()
    await second.page.keyboard.press('Escape')
    assert.equal((await other.test.reader.chain(other.agent.jti))?.[0].state.revoked_at_ms, undefined)
    await tabTo(second.page, 'Stop all agents')
    await second.page.keyboard.press('Space')
    await second.page.getByRole('button', { name: 'Yes' }).press('Enter')
    await second.page.getByText('All agents stopped.').waitFor()
    await second.page.getByText('No agent acts for you.').waitFor()
    assert.deepEqual([...troubles, ...second.troubles], [])
    await context.close()
    await second.context.close()
  })

  test('let a person who was signed out sign in again and finish what they began, with one tap', async () => {
    const house = await aHouse(scope)
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const isStopped = async () =>
      (await house.test.reader.chain(house.agent.jti))?.[0].state.revoked_at_ms !== undefined
    const stop = page.getByRole('button', { name: 'Stop agent:calendar-bot' })
    await addPasskey(visitor, 'Laptop')
    await house.test.accessControl.sessions.endOthers(house.agent.human_ref)
    await stop.click()
    await page.waitForURL(/\/sign-in/)
    assert.equal(await isStopped(), false)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()
    assert.match(
      await dialog.innerText(),
      /You were signed out before this was done.*Stop agent:calendar-bot/s,
    )
    await assertAccessible(page)
    assert.equal(await isStopped(), false, 'nothing happens before the tap')
    await dialog.getByRole('button', { name: 'Yes, do it' }).click()
    await page.getByRole('status').filter({ hasText: 'Stopped agent:calendar-bot' }).waitFor()
    assert.equal(await isStopped(), true)
    await page.reload()
    assert.equal(await dialog.isVisible(), false, 'it is asked once')
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('ask for a new sign-in before a passkey is added in an old session', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aVisitor(browser, house)
    house.test.clock.advance(6 * 60_000)
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.waitForURL(/\/sign-in\?fresh=1&return_to=\/me$/)
    await page.getByText('Sign in again to continue.').waitFor()
    await context.close()
  })

  test('confirm an approval and a rating with a passkey where the tenant requires it', async () => {
    const house = await aHouse(scope, ['approve', 'rate'])
    const visitor = await aVisitor(browser, house)
    const { page, troubles } = visitor
    const waiting = page.locator('section', { has: page.locator('#approvals') })
    await waiting.getByRole('button', { name: /^Approve agent/ }).click()
    await page.getByRole('status').filter({ hasText: STEP_UP_REASONS.no_passkey }).waitFor()
    assert.equal((await house.test.reader.approval(house.approval_id))?.state, 'pending')

    await addPasskey(visitor, 'Phone')
    await waiting.getByRole('button', { name: /^Approve agent/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm', exact: true })
    await dialog.getByText('Approve: agent:calendar-bot may write calendar:events for $5.').waitFor()
    await assertAccessible(page)
    await shoot(page, 'confirm')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal((await house.test.reader.approval(house.approval_id))?.state, 'pending')
    await waiting.getByRole('button', { name: /^Approve agent/ }).click()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await waiting.getByText('Approved.').waitFor()
    const approval = await house.test.reader.approval(house.approval_id)
    assert.deepEqual([approval?.state, approval?.decided_by], ['approved', house.agent.human_ref])

    const done = page.locator('section', { has: page.locator('#records') })
    await done.getByRole('button', { name: /^Problem/ }).click()
    await dialog.getByText(/^Rate as flagged: agent:calendar-bot read calendar:events at/).waitFor()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await done.getByText('You rated this: problem.').waitFor()
    const record = await house.test.reader.record(house.aar_id)
    assert.deepEqual([record?.rating?.rating, record?.rating?.rater_assurance], ['flagged', 'L2+passkey'])
    assert.deepEqual(troubles, [])

    // The log holds all of it.
    assert.equal((await visitor.api('GET', '/checkpoint')).status, 200)
    const data_dir = house.test.directory
    const { faults } = await checkData({ data_dir, checkpoint_file: join(data_dir, 'checkpoint') })
    assert.deepEqual(faults, [])
    await visitor.context.close()
  })

  test('remove a passkey and end every other session of its person', async () => {
    const house = await aHouse(scope, ['passkeys'])
    const visitor = await aVisitor(browser, house)
    const elsewhere = await aVisitor(browser, house)
    const { page } = visitor
    await addPasskey(visitor, 'Old phone')
    await page.getByRole('button', { name: 'Remove the passkey Old phone' }).click()
    const dialog = page.getByRole('dialog', { name: 'Confirm', exact: true })
    await dialog.getByRole('button', { name: 'Yes' }).click()
    await dialog.getByText('Remove the passkey "Old phone" and end your other sessions.').waitFor()
    await dialog.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
    assert.equal((await visitor.api('GET', '/v1/vat/auth/me')).status, 200)
    assert.equal((await elsewhere.api('GET', '/v1/vat/auth/me')).body.reason, 'session_ended')
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL(/\/sign-in/)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(PASSKEY_REASONS.credential).waitFor()
    await visitor.context.close()
    await elsewhere.context.close()
  })
})

/** Presses Tab until the button with that name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.locator(':focus').allTextContents()
    if (focused[0]?.startsWith(name)) return
  }
  assert.fail(`${name} cannot be reached with the keyboard`)
}
