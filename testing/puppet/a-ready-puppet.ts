import type { Step } from '@deputize/biometrics'
import type { Puppet } from './a-puppet.ts'
import { aRememberingPuppet } from './a-remembering-puppet.ts'

/** Every movement of this face is far from its threshold, so any challenge can be drawn. */
const AVATAR = 5
/** The fewest pictures a second that every check works with: rendering and judging them is most of the work. */
export const FPS = 8
const IN_EVERY_CHALLENGE: readonly Step[] = [
  { kind: 'neutral' },
  { kind: 'move', movement: 'turn_left' },
  { kind: 'move', movement: 'turn_right' },
]

/** A puppet for real programs, whose clock doesn't wait: what every challenge asks is rendered beforehand. */
export async function aReadyPuppet(): Promise<Puppet> {
  const puppet = await aRememberingPuppet({ avatar: AVATAR, voice: 'robert', fps: FPS })
  for (const step of IN_EVERY_CHALLENGE) await puppet.perform(step)
  return puppet
}
