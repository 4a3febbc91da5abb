/** Camera and microphone: opening, choosing, and why they cannot be had. Tests for features, never for names of browsers. */

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

/** The choices of a kind, and which one is in use. */
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

/** A device that was chosen and is gone is replaced by another one. */
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

/** In some browsers, the error about a device that is gone is no Error. */
function isMissing(error: unknown): boolean {
  const { name } = error as { readonly name: string } // whatever a browser rejects with has a name
  return ['NotFoundError', 'OverconstrainedError'].includes(name)
}

function constraintsOf({ camera_id, microphone_id, with_sound }: DeviceWish): MediaStreamConstraints {
  // Browsers weigh a mere wish against others, or against their own choice.
  const camera = camera_id === undefined ? { facingMode: 'user' } : { deviceId: { exact: camera_id } }
  const video = { width: WIDTH, height: HEIGHT, ...camera }
  // Filters would change the voice and move the sound against the picture.
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

/** Some browsers say what the policy of the page allows. The types leave it out. */
function isForbiddenByPolicy(): boolean {
  const { featurePolicy } = document as { featurePolicy?: { allowsFeature(name: string): boolean } }
  return (
    featurePolicy?.allowsFeature('camera') === false || featurePolicy?.allowsFeature('microphone') === false
  )
}

/** Some browsers remember the answer per site, and tell. */
async function isBlockedForSite(): Promise<boolean> {
  return isBlocked(await permissionsOfSite())
}

/** Resolves when the person has changed the settings of the site and nothing is blocked any more. Never in a browser that does not tell. */
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

/** Empty where the browser does not tell. Not every browser knows these names, and the types know none of them. */
async function permissionsOfSite(): Promise<readonly PermissionStatus[]> {
  const names = ['camera', 'microphone'] as readonly string[] as readonly PermissionName[]
  try {
    return await Promise.all(names.map((name) => navigator.permissions.query({ name })))
  } catch {
    return []
  }
}
