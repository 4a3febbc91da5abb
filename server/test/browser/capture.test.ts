import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { aCaptureSite, recordInPage, throughBrowser } from '@deputize/testing/a-capture-page.ts'
import { PUPPET_CAMERA_FLAGS } from '@deputize/testing/a-puppet-camera.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { aPuppet } from '@deputize/testing/puppet/a-puppet.ts'
import { remembering, theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import { serviceCaptures, serviceLine } from '@deputize/testing/puppet/service-captures.ts'
import { SPECIES } from '@deputize/testing/puppet/species.ts'
import { buildCaptureScript, CAPTURE_SCRIPT_FILE } from '../../../web/build.ts'
import { aCaptureSession, letTimePass, type Post } from '../a-capture.ts'

const scope = { after }

test('the script for recording is built from its sources', async () => {
  assert.equal(
    readFileSync(CAPTURE_SCRIPT_FILE, 'utf8'),
    await buildCaptureScript(),
    'run: node web/build.ts',
  )
})

describe('a capture in a real browser', { timeout: 600_000 }, async () => {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const app = await aTestApp(scope, { engine: await theRealEngine(scope), public_url: url })
  const post: Post = (path, body) => app.post(path, body)
  const site = await aCaptureSite(scope, port, app)
  const browser = await openBrowser(scope, [...FAKE_DEVICES, ...PUPPET_CAMERA_FLAGS])

  test('sends what the camera and the microphone of the browser give', async () => {
    const page = await (await browser.newContext({ permissions: ['camera', 'microphone'] })).newPage()
    await page.goto(url)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    const sent = new Promise<Recording>((resolve) => {
      site.onCall = (path, body) => {
        // The clock of the service moves as far as the recording took, however long this machine needs.
        letTimePass(app, session.step)
        if (path.endsWith('/steps')) resolve(body as Recording) // the body of the page's own call
      }
    })
    // The fake camera shows a moving disc, so the service asks again until the page is closed.
    recordInPage(page, session).catch(() => {})
    const { frames, device } = await sent
    site.onCall = () => {}
    assert.ok(frames.length >= 3, `${frames.length} frames`)
    assert.match(device.video_label, /fake/)
    await page.context().close()
  })

  describe('of a puppet', async () => {
    const puppet = remembering(await aPuppet({ avatar: 5, voice: 'robert', fps: 8 }))
    const { enroll, verify, attack } = serviceCaptures(app, await throughBrowser(browser, site, app, puppet))
    let human_ref: string

    test('enrolls it', async () => {
      human_ref = await enroll({ puppet }, { accommodations: ['no_hand', 'no_flash'] })
    })

    // That an injected video passes which reflects the screen is the known limit of the engine.
    test('verifies it and gives a token', async () => {
      const outcome = await verify(human_ref, { puppet })
      assert.equal(outcome.decision, 'pass', serviceLine(outcome))
      assert.equal(outcome.body.token.claims.svc_assurance_level, 'L3')
    })

    // `server/test/e2e/attack-table.test.ts` has all kinds, and `biometrics/eval/browser-table.ts` runs them in a browser.
    for (const name of ['printed photo', 'live puppet without reflection'])
      test(`refuses it as a ${name}`, async () => {
        const species = SPECIES.find((one) => one.name === name)
        assert.ok(species !== undefined)
        const outcome = await attack(human_ref, puppet, species)
        assert.ok(species.expected.includes(outcome.decision), serviceLine(outcome))
        for (const cause of species.causes) assert.ok(outcome.causes.includes(cause), serviceLine(outcome))
        assert.equal(outcome.body?.token, undefined)
      })
  })
})

/** What the page sends for one step. */
interface Recording {
  readonly frames: readonly { readonly t_ms: number }[]
  readonly device: { readonly video_label: string }
}

const FAKE_DEVICES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
