import { until } from '../../capture/until.ts'
import { permissionGiven } from '../devices.ts'
import { releaseMedia } from '../flow-state.ts'
import { type GreyPicture, hintFor } from '../guidance.ts'
import { Media } from '../media.ts'
import type { Work } from './work.ts'

const HINT_EVERY_MS = 350
/** Number of pictures that are compared to detect motion. */
const KEPT_PICTURES = 5
/** Hints are announced at most this often, so that a screen reader doesn't talk all the time. */
const SAY_EVERY_MS = 6000
/** With this scale, speech fills about half of the bar. */
const LEVEL_SCALE = 8

export async function openMedia({ state, frame, worklet_script, send, signal }: Work): Promise<void> {
  releaseMedia(state)
  const wish = {
    camera_id: state.camera_id,
    microphone_id: state.microphone_id,
    with_sound: !state.accommodations.has('no_voice'),
  }
  const onLost = () => send({ type: 'devices_failed', problem: 'lost' })
  const media = await Media.open(wish, { video: frame.video, script: worklet_script, onLost })
  // The element may have been removed while the browser asked.
  if (signal.aborted) return media.close()
  state.media = media
  send({ type: 'devices_ready' })
}

/** Shows why there is no camera until the person tries again, or allows it in the browser's settings. */
export async function awaitDevices({ state, send, signal }: Work): Promise<void> {
  releaseMedia(state)
  await permissionGiven(signal)
  send({ type: 'again', from: 'devices' })
}

/** Shows hints about light and distance until the person starts. */
export async function guidePerson({ state, frame, signal }: Work): Promise<void> {
  const sample = state.media?.sampler()
  state.media?.microphone?.onLevel((level) => frame.level(Math.min(1, level * LEVEL_SCALE)))
  let pictures: GreyPicture[] = []
  let said_at = performance.now()
  for (;;) {
    await until(performance.now() + HINT_EVERY_MS, signal)
    const picture = sample?.()
    if (picture === undefined) continue
    pictures = [...pictures, picture].slice(-KEPT_PICTURES)
    const hint = hintFor(pictures)
    const words = state.language.texts[`hint_${hint}`]
    frame.stage(hint === 'ready' ? 'ready' : 'waiting', words)
    if (performance.now() - said_at < SAY_EVERY_MS) continue
    said_at = performance.now()
    frame.say(words)
  }
}
