/** Camera and microphone: opening, choosing, and why they aren't available. Tests for features, never for browsers. */

import type { DeviceProblem } from './screens.ts'

export interface DeviceWish {
  readonly camera_id: string | undefined
  readonly microphone_id: string | undefined
  readonly with_sound: boolean
}

export interface DeviceChoice {
  readonly device_id: string
  readonly label: string
}

/** The cameras and microphones to choose from, and the ones in use. */
export interface OpenDevices {
  readonly stream: MediaStream
  readonly cameras: readonly DeviceChoice[]
  readonly microphones: readonly DeviceChoice[]
  readonly camera_id: string | undefined
  readonly microphone_id: string | undefined
  readonly video_label: string
}

export class DeviceUnavailable extends Error {
  readonly problem: DeviceProblem

  constructor(problem: DeviceProblem) {
    super(problem)
    this.problem = problem
  }
}

const WIDTH = 640
const HEIGHT = 480

export async function openDevices(wish: DeviceWish): Promise<OpenDevices> {
  if (!isSecureContext) throw new DeviceUnavailable('denied_insecure')
  // Absent in a page without https and in very old browsers, although the types say otherwise.
  const devices = navigator.mediaDevices as MediaDevices | undefined
  if (devices?.getUserMedia === undefined || globalThis.AudioContext === undefined)
    throw new DeviceUnavailable('unsupported')
  const stream = await streamFor(wish)
  const known = await devices.enumerateDevices().catch(() => [])
  const choices = (kind: MediaDeviceKind) =>
    known
      .filter((device) => device.kind === kind && device.deviceId !== '')
      .map(({ deviceId, label }) => ({ device_id: deviceId, label }))
  const [video] = stream.getVideoTracks()
  return {
    stream,
    cameras: choices('videoinput'),
    microphones: choices('audioinput'),
    camera_id: video?.getSettings().deviceId,
    microphone_id: stream.getAudioTracks()[0]?.getSettings().deviceId,
    video_label: video?.label ?? '',
  }
}

/** Opens the wished devices. A chosen device that is gone is replaced by another one. */
async function streamFor(wish: DeviceWish): Promise<MediaStream> {
  try {
    return await navigator.mediaDevices.getUserMedia(constraintsOf(wish))
  } catch (error) {
    const { camera_id, microphone_id, with_sound } = wish
    const isChosen = camera_id !== undefined || microphone_id !== undefined
    if (isChosen && isMissing(error))
      return streamFor({ camera_id: undefined, microphone_id: undefined, with_sound })
    throw new DeviceUnavailable(await problemOf(error, wish))
  }
}

/** In some browsers, the error about a missing device isn't an Error. */
function isMissing(error: unknown): boolean {
  const { name } = error as { readonly name: string } // every rejection of a browser has a name
  return ['NotFoundError', 'OverconstrainedError'].includes(name)
}

function constraintsOf({ camera_id, microphone_id, with_sound }: DeviceWish): MediaStreamConstraints {
  // `exact`, because browsers weigh a mere preference against others and against their own choice.
  const camera = camera_id === undefined ? { facingMode: 'user' } : { deviceId: { exact: camera_id } }
  const video = { width: WIDTH, height: HEIGHT, ...camera }
  // Filters would change the voice and shift the sound relative to the picture.
  const unfiltered = {
    echoCancellation: false,
    noiseSuppression: false,
    autoGainControl: false,
    channelCount: 1,
  }
  return {
    video,
    audio: with_sound && { ...unfiltered, ...(microphone_id && { deviceId: { exact: microphone_id } }) },
  }
}

async function problemOf(error: unknown, wish: DeviceWish): Promise<DeviceProblem> {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' }
  if (isMissing(error)) return missingDevice(wish)
  if (name === 'NotReadableError' || name === 'AbortError') return 'busy'
  if (name === 'TypeError') return 'unsupported'
  if (isForbiddenByPolicy()) return 'denied_policy'
  if (/system/i.test(message)) return 'denied_system'
  return (await isBlockedForSite()) ? 'denied_query' : 'denied_plain'
}

async function missingDevice({ with_sound }: DeviceWish): Promise<DeviceProblem> {
  const known = await navigator.mediaDevices.enumerateDevices().catch(() => [])
  return with_sound && known.some(({ kind }) => kind === 'videoinput') ? 'absent_microphone' : 'absent'
}

/** Some browsers expose what the page's policy allows. The types lack it. */
function isForbiddenByPolicy(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
  return (
    featurePolicy?.allowsFeature('camera') === false || featurePolicy?.allowsFeature('microphone') === false
  )
}

/** Some browsers remember the person's answer for each site, and expose it. */
async function isBlockedForSite(): Promise<boolean> {
  return isBlocked(await permissionsOfSite())
}

/** Resolves once nothing is blocked in the site's settings after a change. Never in browsers that don't expose them. */
export async function permissionGiven(signal: AbortSignal): Promise<void> {
  const permissions = await permissionsOfSite()
  return new Promise((resolve) => {
    for (const permission of permissions)
      permission.addEventListener('change', () => isBlocked(permissions) || resolve(), { signal })
  })
}

function isBlocked(permissions: readonly PermissionStatus[]): boolean {
  return permissions.some(({ state }) => state === 'denied')
}

/** Empty if the browser doesn't expose them. Not every browser knows these names, and the types know none of them. */
async function permissionsOfSite(): Promise<readonly PermissionStatus[]> {
  const names = ['camera', 'microphone'] as readonly string[] as readonly PermissionName[]
  try {
    return await Promise.all(names.map((name) => navigator.permissions.query({ name })))
  } catch {
    return []
  }
}
