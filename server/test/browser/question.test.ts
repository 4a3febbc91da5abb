import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { aMailServer, mailText } from '@deputize/testing/a-mail-server.ts'
import { aReceiver } from '@deputize/testing/a-receiver.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { eventually } from '@deputize/testing/eventually.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import type { Page } from 'playwright-core'
import { buildPushWorker, PUSH_WORKER_FILE } from '../../../web/build.ts'
import { addPasskey, aHouse, aVisitor, type House, openPart } from './a-house.ts'
import { violationsOn } from './accessible.ts'
import { drawPhone, PHONE_PICTURE } from './phone-picture.ts'

test('the service worker is built from its sources', async () => {
  assert.equal(readFileSync(PUSH_WORKER_FILE, 'utf8'), await buildPushWorker(), 'run: node web/build.ts')
})

const scope = { after }
const SAVED = process.env.SCREENSHOTS
const PHONE = { width: 390, height: 844 }

function sizeOfPng(png: Buffer): [number, number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

/** Records the calls of the worker to the browser, which can't show notifications here. */
const WATCH = `
  self.told = []
  self.opened = []
  registration.showNotification = async (title, { body, data }) => void told.push([title, body, data.path])
  clients.openWindow = async (url) => void opened.push(url)
  self.press = (path) => new Promise((resolve) => {
    const notification = { close() {}, data: { path } }
    const waitUntil = (work) => work.then(resolve)
    dispatchEvent(Object.assign(new Event('notificationclick'), { notification, waitUntil }))
  })
  0`

describe('the page of a question, on a phone', async () => {
  const browser = await openBrowser(scope)

  async function shoot(page: Page, name: string): Promise<void> {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await violationsOn(page, colorScheme), [])
      if (SAVED !== undefined) await page.screenshot({ path: `${SAVED}/${name}-${colorScheme}.png` })
    }
    await page.emulateMedia({ colorScheme: 'light' })
  }

  async function aPhone(house: House) {
    const visitor = await aVisitor(browser, house)
    await visitor.page.setViewportSize(PHONE)
    return visitor
  }

  const stateOf = async ({ test, approval_id }: House) => (await test.reader.approval(approval_id))?.state

  test('shows who asks for what, and can be approved with a passkey', async () => {
    const house = await aHouse(scope, ['approve'])
    const visitor = await aPhone(house)
    const { page, troubles } = visitor
    await addPasskey(visitor, 'Phone')
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    const text = await page.locator('main').innerText()
    for (const words of [
      'calendar-bot asks',
      'Write calendar:events?',
      '$5.00',
      'Budget: $0.00 used, this would take $5.00. $15.00 would be left of $20.00.',
      '“Keeps the calendar tidy”',
      'Without an answer, it is denied.',
    ])
      assert.ok(text.includes(words), `${words} is not in ${text}`)
    assert.doesNotMatch(text, /sha256:|vat_|apr_|\{"/, 'no hashes, no ids, no raw data')
    await shoot(page, 'question')
    const isWithin = 'document.documentElement.scrollWidth <= document.documentElement.clientWidth'
    assert.equal(await page.evaluate(isWithin), true, 'nothing is wider than the screen')
    await page.getByRole('button', { name: 'Approve $5.00' }).click()
    await page.getByRole('dialog').waitFor()
    assert.equal(await stateOf(house), 'pending', 'nothing is decided before the passkey')
    await page.getByRole('button', { name: 'Confirm with your passkey' }).click()
    await page.getByText(/^Approved \w{3}, \w{3} \d/).waitFor()
    assert.equal(await stateOf(house), 'approved')
    assert.equal(await page.getByRole('button', { name: 'Deny' }).count(), 0)
    await shoot(page, 'question-approved')
    assert.deepEqual(troubles, [])
    await visitor.context.close()
  })

  test('leads a person without a passkey to the form that adds one', async () => {
    const house = await aHouse(scope, ['approve'])
    const { page, troubles, context } = await aPhone(house)
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    await page.getByRole('button', { name: 'Approve $5.00' }).click()
    const dialog = page.getByRole('dialog', { name: 'You need a passkey' })
    await dialog.getByText('then come back to approve this for $5.00').waitFor()
    await shoot(page, 'question-passkey')
    await dialog.getByRole('button', { name: 'Add a passkey' }).click()
    await page.waitForURL(`${house.url}/me#passkeys`)
    await page.getByLabel('Name of the new passkey').waitFor()
    assert.equal(await stateOf(house), 'pending')
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('is where the dashboard sends a person whose passkey it needs, and otherwise to the form that adds one', async () => {
    const house = await aHouse(scope, ['approve'])
    const visitor = await aVisitor(browser, house)
    const { page, context, troubles } = visitor
    const dialog = page.getByRole('dialog')
    const approveInDashboard = async () => {
      await page.goto(`${house.url}/app/approvals`)
      await page.getByRole('button', { name: 'Approve $5.00' }).click()
      await dialog.getByRole('button', { name: 'Approve $5.00' }).click()
    }
    await approveInDashboard()
    await dialog.getByRole('link', { name: 'Add a passkey' }).click()
    await page.waitForURL(`${house.url}/me#passkeys`)
    await addPasskey(visitor, 'Laptop')
    await approveInDashboard()
    await dialog.getByRole('link', { name: 'Decide with your passkey' }).waitFor()
    await shoot(page, 'dashboard-passkey')
    await dialog.getByRole('link', { name: 'Decide with your passkey' }).click()
    await page.waitForURL(`${house.url}/approve/${house.approval_id}`)
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('keeps its answers below the request on a short screen, such as with 200 % zoom', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aPhone(house)
    const places: string[] = []
    for (const height of [844, 450]) {
      await page.setViewportSize({ width: 640, height })
      await page.goto(`${house.url}/approve/${house.approval_id}`)
      await page.locator('.answers').waitFor()
      places.push(await page.evaluate("getComputedStyle(document.querySelector('.answers')).position"))
    }
    assert.deepEqual(places, ['sticky', 'static'])
    await context.clearCookies()
    await page.reload()
    await page.getByText('An approval request is waiting for you. Sign in to answer it.').waitFor()
    await context.close()
  })

  test('can be denied with a reason, which is stored', async () => {
    const house = await aHouse(scope)
    const { page, troubles, context } = await aPhone(house)
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    await page.getByRole('button', { name: 'Deny…' }).click()
    await page.getByRole('dialog', { name: 'Deny this?' }).waitFor()
    await page.getByLabel('Reason').fill('Too expensive')
    await shoot(page, 'question-deny')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText(/^Denied \w{3}, \w{3} \d/).waitFor()
    const approval = await house.test.reader.approval(house.approval_id)
    assert.deepEqual([approval?.state, approval?.note], ['denied', 'Too expensive'])
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('can stop the agent after it shows what stops with it', async () => {
    const house = await aHouse(scope)
    const { page, troubles, context } = await aPhone(house)
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    await page.getByRole('button', { name: 'Stop this agent…' }).click()
    await page.getByText("This stops 1 agent. It takes effect immediately and can't be undone.").waitFor()
    await page.getByRole('button', { name: 'Stop 1 agent' }).click()
    await page.getByRole('status').filter({ hasText: 'Stopped calendar-bot.' }).waitFor()
    assert.notEqual((await house.test.reader.chain(house.agent.jti))?.[0].state.revoked_at_ms, undefined)
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('leads a stranger through the sign-in, and reveals nothing about the question', async () => {
    const house = await aHouse(scope)
    const context = await browser.newContext({ viewport: PHONE })
    const page = await context.newPage()
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    assert.equal(new URL(page.url()).pathname, '/sign-in')
    assert.equal(new URL(page.url()).searchParams.get('return_to'), `/approve/${house.approval_id}`)
    assert.doesNotMatch(await page.content(), /calendar/)
    assert.equal(await stateOf(house), 'pending')
    await context.close()
  })

  test('looks the same to another person as a question that does not exist', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aVisitor(browser, house, `sha256:${'1'.repeat(64)}`)
    const contents: string[] = []
    for (const id of [house.approval_id, `apr_${'0'.repeat(36)}`]) {
      const answer = await page.goto(`${house.url}/approve/${id}`)
      assert.equal(answer?.status(), 404)
      contents.push(await page.content())
    }
    assert.equal(contents[0], contents[1])
    await context.close()
  })

  test('opens from a message on another site with the session of the browser', async () => {
    const house = await aHouse(scope)
    const { page, context } = await aPhone(house)
    // A page of another site, from which the first request carries no session.
    await page.route('http://mail.example/**', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: `<a href="${house.url}/approve/${house.approval_id}">Review</a>`,
      }),
    )
    await page.goto('http://mail.example/inbox')
    await page.getByRole('link', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Approve $5.00' }).waitFor()
    await context.close()
  })

  test('is announced by the service worker, which opens no other site', async () => {
    const house = await aHouse(scope)
    const { page, context, device, troubles } = await aPhone(house)
    const registered = new Promise<{ registrationId: string; scopeURL: string }>((resolve) => {
      device.cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations
        if (first !== undefined) resolve(first)
      })
    })
    await device.cdp.send('ServiceWorker.enable')
    const register = `navigator.serviceWorker.register('/push-worker.js').then(() => navigator.serviceWorker.ready).then(() => 1)`
    await page.evaluate(register)
    const { registrationId } = await registered
    const path = `/approve/${house.approval_id}`
    const data = JSON.stringify({
      title: 'calendar-bot <b>asks</b>',
      body: 'Amount: $5.00',
      path,
      tag: 'one',
    })
    const [worker] = context.serviceWorkers()
    assert.ok(worker !== undefined)
    await worker.evaluate(WATCH)
    await device.cdp.send('ServiceWorker.deliverPushMessage', { origin: house.url, registrationId, data })
    const shown = await eventually('the notification', () =>
      worker.evaluate<unknown[][]>('told.length > 0 && told'),
    )
    assert.deepEqual(shown, [['calendar-bot <b>asks</b>', 'Amount: $5.00', path]])
    for (const pressed of [path, 'https://evil.example/x', '//evil.example/x'])
      await worker.evaluate(`press(${JSON.stringify(pressed)})`)
    assert.deepEqual(await worker.evaluate('opened'), [`${house.url}${path}`])
    const { errors, data: manifest = '' } = await device.cdp.send('Page.getAppManifest')
    assert.deepEqual(errors, [])
    const { start_url, icons } = JSON.parse(manifest)
    assert.equal(start_url, '/me')
    for (const { src, sizes, type } of icons.slice(1)) {
      const response = await page.request.get(`${house.url}${src}`)
      assert.equal(response.headers()['content-type'], type)
      assert.equal(sizeOfPng(await response.body()).join('x'), sizes)
    }
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('reaches an address that the person adds and confirms on their page', async () => {
    const mail = await aMailServer(scope)
    const house = await aHouse(scope, [], { mail_port: mail.port })
    const { page, context, troubles } = await aPhone(house)
    await openPart(page, 'notifications')
    await page.getByLabel('Email address').fill('sam@example.com')
    await page.getByRole('button', { name: 'Notify me by email' }).click()
    const sent = await eventually('the code', () => mail.mails[0])
    const [, code = ''] = /Code: (\d{8})/.exec(mailText(sent)) ?? []
    await page.getByLabel('Code from the email').fill(code)
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Approval requests reach you by email.').waitFor()
    house.test.clock.advance(20_000) // the service checks for a first channel every few seconds
    const mailed = await eventually('the question', () => mail.mails[1], 60_000)
    assert.ok(mailText(mailed).includes(`/approve/${house.approval_id}`))
    await page.getByRole('heading', { name: 'Where approval requests reach you' }).scrollIntoViewIfNeeded()
    await shoot(page, 'channels')
    await page.getByRole('button', { name: 'Send a test to Email sam@example.com' }).click()
    await page.getByText('The test was sent.').waitFor()
    await eventually('the test', () => mail.mails[2])
    await page.reload()
    await openPart(page, 'notifications')
    await page.getByText(/^Last message: /).waitFor()
    await page.evaluate(
      `navigator.serviceWorker.getRegistration = () => sessionStorage.setItem('forgot', '1')`,
    )
    await page.getByRole('button', { name: 'Remove Email sam@example.com' }).click()
    await page.getByText('Approval requests are shown on this page only.').waitFor()
    assert.equal(await page.evaluate(`sessionStorage.getItem('forgot')`), null, 'the browser keeps its own')
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('reaches a webhook that the person adds and tests, and quiet hours can be set and removed', async () => {
    const receiver = await aReceiver(scope)
    const house = await aHouse(scope)
    const { page, context, troubles, api } = await aPhone(house)
    await openPart(page, 'notifications')
    await page.getByText('Slack, Teams or a webhook').click()
    await page.getByLabel('Where to').selectOption('Webhook')
    await page.getByLabel('Address of the incoming webhook').fill('ftp://example.com')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('status').filter({ hasText: 'Check the address.' }).waitFor()
    await page.getByLabel('Address of the incoming webhook').fill(receiver.url)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'I have stored it' }).click()
    await page.getByText('Added. Send a test to see it work.').waitFor()
    receiver.answer = () => ({ status: 503 })
    await page.getByRole('button', { name: 'Send a test to Webhook' }).click()
    await page.getByText('The test did not arrive: the receiver answered 503.').waitFor()
    receiver.answer = () => ({ status: 204 })
    await page.getByRole('button', { name: 'Send a test to Webhook' }).click()
    await page.getByText('The test was sent.').waitFor()
    await page.getByText('Quiet hours and time zone').click()
    await page.getByLabel('Quiet from').fill('22:00')
    await page.getByLabel('Until').fill('07:00')
    await page.getByLabel('Time zone').fill('europe/berlin')
    await shoot(page, 'quiet-hours')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const { body } = await api('GET', '/v1/vat/notifications')
    const quiet_hours = { time_zone: 'Europe/Berlin', from: '22:00', to: '07:00' }
    assert.deepEqual([body.time_zone, body.quiet_hours], ['Europe/Berlin', quiet_hours])
    await page.getByText('Quiet hours and time zone').click()
    await page.getByText('No messages from 22:00 to 07:00').waitFor()
    await page.getByRole('button', { name: 'Remove quiet hours' }).click()
    await page.getByRole('status').filter({ hasText: 'Messages can arrive at any time.' }).waitFor()
    const weekend = { time_zone: 'Europe/Berlin', days: ['sat', 'sun'], from: '00:00', to: '24:00' }
    assert.equal((await api('PUT', '/v1/vat/notifications', { quiet_hours: weekend })).status, 200)
    await page.reload()
    await openPart(page, 'notifications')
    await page.getByText('Quiet hours and time zone').click()
    await page.getByLabel('Quiet from').fill('08:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
    const saved = (await api('GET', '/v1/vat/notifications')).body.quiet_hours
    assert.deepEqual(saved, { ...weekend, from: '08:00' }, 'the days stay')
    assert.deepEqual(troubles, [])
    await context.close()
  })

  test('matches the picture in the guide', async () => {
    const file = join(temporaryDirectory(scope), 'phone.png')
    const words = await drawPhone(scope, browser, file)
    for (const part of [
      'Buy shop:office-direct?',
      'Shopping assistant asks',
      '$149.90',
      'Standing desk, oak, 140 cm',
    ])
      assert.ok(words.includes(part), `${part} is not in ${words}`)
    // Only the size is compared, because the pixels depend on the fonts of the machine.
    assert.deepEqual(sizeOfPng(readFileSync(PHONE_PICTURE)), sizeOfPng(readFileSync(file)))
  })

  test('shows that the question was not answered in time', async () => {
    const house = await aHouse(scope)
    house.test.clock.advance(3_700_000)
    const { page, context } = await aPhone(house)
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    await page.getByText(/^Not answered by .*, so it was denied\.$/).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    await context.close()
  })

  test('shows that the agent was stopped if its token is revoked', async () => {
    const house = await aHouse(scope)
    const { page, context, api } = await aPhone(house)
    assert.notEqual(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    assert.equal((await api('POST', '/v1/vat/revoke', { vat_jti: house.agent.jti })).status, 200)
    await page.goto(`${house.url}/approve/${house.approval_id}`)
    await page.getByText(/^The agent was stopped: its token was revoked\./).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    await page.goto(`${house.url}/me`)
    assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    await context.close()
  })
})
