import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { aPuppetCamera, PUPPET_CAMERA_FLAGS } from '@deputize/testing/a-puppet-camera.ts'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { openBrowser } from '@deputize/testing/browser.ts'
import { freePort } from '@deputize/testing/free-port.ts'
import { aPuppet } from '@deputize/testing/puppet/a-puppet.ts'
import { remembering, theRealEngine } from '@deputize/testing/puppet/puppet-engine.ts'
import { buildCaptureScript, CAPTURE_SCRIPT_FILE } from '../../../web/build.ts'
import { aCaptureSession, letTimePass, type Post } from '../a-capture.ts'
import { aCaptureSite, runCapture } from './a-capture-page.ts'
import { aDevice } from './a-house.ts'

const scope = { after }
const TOKEN = { agent_id: 'calendar-bot', resources: ['calendar:events'], actions: ['read'] }

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
  let onCall: (path: string, body: object) => void = () => {}
  await aCaptureSite(scope, port, (path, body) => {
    onCall(path, body)
    return post(path, body)
  })
  const browser = await openBrowser(scope, [...FAKE_DEVICES, ...PUPPET_CAMERA_FLAGS])

  test('sends what the camera and the microphone of the browser give', async () => {
    const page = await (await browser.newContext({ permissions: ['camera', 'microphone'] })).newPage()
    await page.goto(url)
    const session = await aCaptureSession(post, { purpose: 'enroll' })
    const sent = new Promise<Recording>((resolve) => {
      onCall = (path, body) => {
        // The clock of the service moves as far as the recording took, however long this machine needs.
        letTimePass(app, session.step)
        if (path.endsWith('/steps')) resolve(body as Recording) // the body of the page's own call
      }
    })
    // The fake camera shows a moving disc, so the service asks again until the page is closed.
    runCapture(page, session).catch(() => {})
    const { frames, device } = await sent
    onCall = () => {}
    assert.ok(frames.length >= 3, `${frames.length} frames`)
    assert.match(device.video_label, /fake/)
    await page.context().close()
  })

  describe('of a puppet', async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(300_000)
    const puppet = remembering(await aPuppet({ avatar: 5, voice: 'robert', fps: 8 }))
    const camera = await aPuppetCamera(page, { puppet, onRecorded: (step) => letTimePass(app, step) })
    await page.goto(url)
    await aDevice(page)
    let human_ref: string

    /** Opens a session and lets the puppet before the camera answer it. */
    async function captured(opening: object, request?: object) {
      const session = await aCaptureSession(post, opening)
      await camera.rehearse(session.step)
      return runCapture(page, session, request)
    }

    test('enrolls it', async () => {
      const body = await captured({ purpose: 'enroll' })
      assert.equal(body.enrolled, true, JSON.stringify(body))
      human_ref = body.human_ref
    })

    test('verifies it and gives a token', async () => {
      const body = await captured({ purpose: 'verify', human_ref }, TOKEN)
      assert.equal(body.decision, 'pass', JSON.stringify(body))
      assert.equal(body.token.claims.svc_assurance_level, 'L3')
    })
  })
})

/** What the page sends for one step. */
interface Recording {
  readonly frames: readonly { readonly t_ms: number }[]
  readonly device: { readonly video_label: string }
}

const FAKE_DEVICES = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream']
