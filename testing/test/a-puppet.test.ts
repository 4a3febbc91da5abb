import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { aPuppet } from '../puppet/a-puppet.ts'

const BLINK = { kind: 'move', movement: 'blink' } as const
/** Few pictures, because drawing them is most of the work. */
const FEW = { avatar: 3, fps: 3 } as const

describe('a puppet', () => {
  test('does the same for the same seed, byte for byte', async () => {
    const [one, same] = await Promise.all([aPuppet({ ...FEW, seed: 1 }), aPuppet({ ...FEW, seed: 1 })])
    assert.deepEqual(await one.perform(BLINK), await same.perform(BLINK))
  })

  test('never does the same thing the same way twice', async () => {
    const puppet = await aPuppet(FEW)
    const [first, second] = [await puppet.perform(BLINK), await puppet.perform(BLINK)]
    assert.notDeepEqual(first.frames[0]?.jpeg, second.frames[0]?.jpeg)
  })

  test('returns frames with the size and rate of a browser, and sound while it speaks', async () => {
    const puppet = await aPuppet({ avatar: 3, voice: 'kevin' })
    const { frames, sound } = await puppet.perform({ kind: 'speak', digits: '01' })
    const [first] = frames
    assert.deepEqual([...(first?.jpeg.subarray(0, 2) ?? [])], [0xff, 0xd8])
    const seconds = (sound?.pcm16.length ?? 0) / 2 / 16_000
    assert.ok(Math.abs(frames.length / 12 - seconds) < 0.2, `${frames.length} frames, ${seconds} s of sound`)
  })
})
