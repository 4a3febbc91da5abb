import type { Step } from '@deputize/biometrics'
import type { Frame, Page } from 'playwright-core'
import type { Performance, Puppet } from './puppet/a-puppet.ts'
import { puppetRecording, type ShownStep, taskOf } from './puppet/puppet-engine.ts'

/**
 * A camera and a microphone for a page, with a puppet in front that does what the service asks:
 *
 *     const browser = await openBrowser(scope, PUPPET_CAMERA_FLAGS)
 *     const camera = await aPuppetCamera(page, { puppet: await aPuppet({ avatar: 5, voice: 'robert', fps: 8 }) })
 *     await page.goto(url) // afterwards, because the camera is installed before the scripts of the page
 *
 * The camera reads each step in the answers of the service, and holds the answer back until the puppet has rehearsed.
 * This is itself an attack: it feeds pictures to the browser, like a virtual camera.
 */
export async function aPuppetCamera(page: Page, options: PuppetCameraOptions): Promise<PuppetCamera> {
  let { puppet, how } = options
  await page.exposeBinding('puppetRehearses', async (_, step: ShownStep) => {
    const act = how?.(taskOf(step))
    const { frames, audio, device } = await puppetRecording(puppet, step, act)
    return { frames, audio, ...device, is_still: act?.deceit === 'loop' }
  })
  await page.addInitScript(installCamera)
  await followSteps(page, { ...options, onStep: (step, frame) => frame.evaluate(rehearse, step) })
  return {
    show(next, act) {
      puppet = next
      how = act
    },
  }
}

/** A page may play sound without a click. */
export const PUPPET_CAMERA_FLAGS = ['--autoplay-policy=no-user-gesture-required']

export interface PuppetCameraOptions {
  readonly puppet: Puppet
  /** What the puppet does in a step instead of acting honestly. */
  readonly how?: ((step: Step) => Performance | undefined) | undefined
  /** Called when a step was recorded, before the service gets it: a test advances its clock here. */
  readonly onRecorded?: (step: ShownStep) => void
}

export interface PuppetCamera {
  /** Puts another puppet in front of the camera, or has the same one do something else. */
  show(puppet: Puppet, how?: PuppetCameraOptions['how']): void
}

interface CameraGlobals {
  puppetRehearse(step: ShownStep): Promise<void>
}

/** Callbacks for the steps in a page. */
interface StepFollower {
  /** Called with each step, before the page gets it. */
  readonly onStep?: (step: ShownStep, frame: Frame) => Promise<void>
  readonly onRecorded?: PuppetCameraOptions['onRecorded']
}

/** Reads the steps in the answers of the service to a page. */
export async function followSteps(page: Page, { onStep, onRecorded }: StepFollower): Promise<void> {
  let shown: ShownStep | undefined
  await page.route('**/v1/vat/auth/sessions/**', async (route) => {
    if (shown !== undefined && route.request().url().endsWith('/steps')) onRecorded?.(shown)
    // The engine is slow on a busy machine, and the service judges a recording that is sent twice only once. A page
    // that was closed meanwhile needs no answer.
    const response = await route.fetch({ timeout: 0, maxRetries: 3 }).catch((error: unknown) => {
      if (!page.isClosed()) throw error
      return undefined
    })
    if (response === undefined) return
    const { step } = await response.json()
    if (step !== undefined && !page.isClosed()) {
      shown = step
      await onStep?.(step, route.request().frame())
    }
    await route.fulfill({ response })
  })
}

function rehearse(step: ShownStep): Promise<void> {
  // The tests compile without browser types; the function is installed below.
  return (globalThis as unknown as CameraGlobals).puppetRehearse(step)
}

/** Runs in the page, before its scripts. */
function installCamera(): void {
  // The tests compile without browser types.
  // biome-ignore lint/suspicious/noExplicitAny: the globals of a page
  const page = globalThis as any
  const [WIDTH, HEIGHT, FPS, SAMPLE_RATE] = [640, 480, 12, 16_000]
  if (page.navigator.mediaDevices === undefined) return

  /** What was rehearsed. It begins when the page requests the first picture of a step. */
  // biome-ignore lint/suspicious/noExplicitAny: pictures and sounds of a page
  let scene: { frames: { t_ms: number; picture: any }[]; speech: any; label: string; is_still: boolean } = {
    frames: [],
    speech: undefined,
    label: '',
    is_still: true,
  }
  let began_at: number | undefined
  let onBegin = () => {}

  const bytesOf = (text: string) => Uint8Array.from(page.atob(text), (char: string) => char.charCodeAt(0))

  page.puppetRehearse = async (step: unknown) => {
    const { frames, audio, video_label, is_still } = await page.puppetRehearses(step)
    const pictures = await Promise.all(
      frames.map(async ({ t_ms, jpeg }: { t_ms: number; jpeg: string }) => ({
        t_ms,
        picture: await page.createImageBitmap(new page.Blob([bytesOf(jpeg)], { type: 'image/jpeg' })),
      })),
    )
    scene = { frames: pictures, speech: audio && samplesOf(audio.pcm16), label: video_label, is_still }
    began_at = undefined
  }

  function samplesOf(pcm16: string) {
    return Float32Array.from(new Int16Array(bytesOf(pcm16).buffer), (sample) => sample / 32_768)
  }

  // A step begins when its first picture is requested.
  const video = page.HTMLVideoElement.prototype
  const askForPicture = video.requestVideoFrameCallback
  video.requestVideoFrameCallback = function (callback: unknown) {
    if (began_at === undefined && scene.frames.length > 0) {
      began_at = page.performance.now()
      onBegin()
    }
    return askForPicture.call(this, callback)
  }

  page.navigator.mediaDevices.getUserMedia = async () => {
    // The puppet is visible before the first step.
    await page.puppetRehearse({ step_id: 'st_0', kind: 'neutral', duration_ms: 1500 })
    const sounds = new page.AudioContext({ sampleRate: SAMPLE_RATE })
    await sounds.resume()
    const microphone = sounds.createMediaStreamDestination()
    onBegin = () => {
      if (scene.speech === undefined) return
      const buffer = sounds.createBuffer(1, scene.speech.length, SAMPLE_RATE)
      buffer.copyToChannel(scene.speech, 0)
      const source = sounds.createBufferSource()
      source.buffer = buffer
      source.connect(microphone)
      source.start()
    }
    return new page.MediaStream([aCameraTrack(), microphone.stream.getAudioTracks()[0]])
  }

  function aCameraTrack() {
    const canvas = page.document.createElement('canvas')
    canvas.width = WIDTH
    canvas.height = HEIGHT
    const context = canvas.getContext('2d', { alpha: false })
    const noise = sensorNoise()
    const track = canvas.captureStream(0).getVideoTracks()[0]
    Object.defineProperty(track, 'label', { value: scene.label })
    const timer = page.setInterval(() => {
      if (track.readyState === 'ended') return page.clearInterval(timer)
      const t_ms = began_at === undefined ? 0 : page.performance.now() - began_at
      // After its last picture, the puppet doesn't move.
      const frame = scene.frames.findLast((one) => one.t_ms <= t_ms) ?? scene.frames[0]
      if (frame !== undefined) context.drawImage(frame.picture, 0, 0)
      if (!scene.is_still) context.drawImage(noise, -Math.random() * 64, -Math.random() * 64)
      track.requestFrame()
    }, 1000 / FPS)
    return track
  }

  /** No two pictures of a real camera are the same. */
  function sensorNoise() {
    const canvas = new page.OffscreenCanvas(WIDTH + 64, HEIGHT + 64)
    const context = canvas.getContext('2d')
    const grain = context.createImageData(canvas.width, canvas.height)
    for (let i = 0; i < grain.data.length; i += 4) {
      grain.data.fill(Math.random() < 0.5 ? 0 : 255, i, i + 3)
      grain.data[i + 3] = Math.random() * 6
    }
    context.putImageData(grain, 0, 0)
    return canvas
  }
}
