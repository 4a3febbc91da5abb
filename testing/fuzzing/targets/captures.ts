import assert from 'node:assert/strict'
import { readSound } from '../../../biometrics/src/audio/read-sound.ts'
import { EngineError, type UploadedStep } from '../../../biometrics/src/contract.ts'
import { decodedStep } from '../../../biometrics/src/pool/decoded-step.ts'
import { PICTURE_LIMITS, PictureError, readJpegHeader } from '../../../biometrics/src/vision/jpeg-header.ts'
import { blankBitmap } from '../../puppet/bitmap.ts'
import { writeJpeg } from '../../puppet/jpeg.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

const picture = writeJpeg(blankBitmap(160, 128), 20)

/** An accepted picture has a size within the limits, whatever follows it. */
export const pictureTarget: FuzzTarget = {
  seeds: [picture],
  words: ['\xff\xd8', '\xff\xd9', '\xff\xda', '\xff\xc2', '\xff\xe1\0\x04ab'],
  read(bytes) {
    const size = unlessRefused(() => readJpegHeader(bytes), PictureError)
    if (size === undefined) return false
    assert.ok(size.width >= PICTURE_LIMITS.min_width && size.width <= PICTURE_LIMITS.max_width)
    assert.ok(size.height >= PICTURE_LIMITS.min_height && size.height <= PICTURE_LIMITS.max_height)
    return true
  },
}

const samples = Buffer.from(new Uint8Array(9_600)).toString('base64')

/** Lines with the time and the base64 of each frame, then the sound. An accepted input keeps all of its bytes. */
export const captureTarget: FuzzTarget = {
  seeds: [`0 /9j/\n40 ${Buffer.from('jpeg').toString('base64')}\n0 ${samples.slice(0, 3_600)}`].map((text) =>
    Buffer.from(text),
  ),
  words: ['=', '==', '-', '_', '\n', '1e999 ', 'NaN ', '-1 ', ' '],
  read(bytes) {
    const lines = Buffer.from(bytes).toString('latin1').split('\n')
    const parts = lines.map((line) => {
      const space = line.indexOf(' ')
      return { ms: Number(line.slice(0, Math.max(0, space))), base64: line.slice(space + 1) }
    })
    const sound = parts.pop()
    const uploaded = {
      media: {
        frames: parts.map(({ ms, base64 }) => ({ t_ms: ms, jpeg: base64 })),
        sound: sound && { t0_ms: sound.ms, pcm16: sound.base64 },
      },
      prior: [],
    } as unknown as UploadedStep // the other members aren't read here
    const step = unlessRefused(() => decodedStep(uploaded), EngineError)
    if (step === undefined) return false
    for (const [place, { jpeg }] of step.media.frames.entries())
      assert.equal(
        jpeg.length,
        Math.floor(((parts[place]?.base64.replace(/={1,2}$/, '').length ?? 0) * 3) / 4),
      )
    const { sound: decoded } = step.media
    if (decoded !== undefined) unlessRefused(() => readSound(decoded), EngineError)
    return true
  },
}
