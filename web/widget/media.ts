/** The running camera and microphone. */

import { type Microphone, openMicrophone } from '../capture/microphone.ts'
import { until } from '../capture/until.ts'
import { DeviceUnavailable, type DeviceWish, type OpenDevices, openDevices } from './devices.ts'
import { type GreyPicture, greyOf, SAMPLE_HEIGHT, SAMPLE_WIDTH } from './guidance.ts'

const SAMPLE_RATE = 16_000

export class Media {
  readonly devices: OpenDevices
  readonly microphone: Microphone | undefined
  readonly #video: HTMLVideoElement

  private constructor(devices: OpenDevices, microphone: Microphone | undefined, video: HTMLVideoElement) {
    this.devices = devices
    this.microphone = microphone
    this.#video = video
  }

  /** Shows the camera in `video`. `script` registers the worklet. `onLost` is called when a device goes away. */
  static async open(
    wish: DeviceWish,
    { video, script, onLost }: { video: HTMLVideoElement; script: string; onLost: () => void },
  ): Promise<Media> {
    const devices = await openDevices(wish)
    try {
      for (const track of devices.stream.getTracks()) track.addEventListener('ended', onLost)
      video.srcObject = devices.stream
      await firstPicture(video)
      const microphone = wish.with_sound
        ? await openMicrophone(devices.stream, SAMPLE_RATE, script)
        : undefined
      return new Media(devices, microphone, video)
    } catch (error) {
      stop(devices.stream, video)
      throw error
    }
  }

  /** Small grey pictures of what the camera sees. The canvas is never part of the document. */
  sampler(): () => GreyPicture | undefined {
    const canvas = document.createElement('canvas')
    canvas.width = SAMPLE_WIDTH
    canvas.height = SAMPLE_HEIGHT
    const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
    return () => {
      const { videoWidth, videoHeight } = this.#video
      if (context === null || videoWidth === 0) return undefined
      const width = Math.min(videoWidth, (videoHeight * SAMPLE_WIDTH) / SAMPLE_HEIGHT)
      const left = (videoWidth - width) / 2
      context.drawImage(this.#video, left, 0, width, videoHeight, 0, 0, SAMPLE_WIDTH, SAMPLE_HEIGHT)
      return greyOf(context.getImageData(0, 0, SAMPLE_WIDTH, SAMPLE_HEIGHT).data)
    }
  }

  close(): void {
    stop(this.devices.stream, this.#video)
    void this.microphone?.close()
  }
}

const FIRST_PICTURE_MS = 8000

/** A camera that another program uses may open but give no picture. */
function firstPicture(video: HTMLVideoElement): Promise<unknown> {
  const tooLate = until(performance.now() + FIRST_PICTURE_MS).then(() => {
    throw new DeviceUnavailable('busy')
  })
  return Promise.race([video.play(), tooLate])
}

function stop(stream: MediaStream, video: HTMLVideoElement): void {
  // A track that the page itself stops doesn't report its end.
  for (const track of stream.getTracks()) track.stop()
  video.srcObject = null
}
