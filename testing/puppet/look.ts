/**
 * Draws what a puppet does as a sheet of pictures, to check it by eye:
 * `npx node testing/puppet/look.ts <avatar> <movement or gesture> [deceit] > sheet.png`.
 */
import { GESTURES, MOVEMENTS, type Step } from '@deputize/biometrics'
import { openVision } from '../../biometrics/src/vision/open-vision.ts'
import { theOpenPack } from '../an-engine.ts'
import { aPuppet, DECEITS } from './a-puppet.ts'
import { blankBitmap, samplePixel } from './bitmap.ts'
import { writePng } from './png.ts'

const COLUMNS = 6
const [avatar = '0', task = 'neutral', deceit] = process.argv.slice(2)
const movement = MOVEMENTS.find((name) => name === task)
const gesture = GESTURES.find((name) => name === task)
const step: Step = movement
  ? { kind: 'move', movement }
  : gesture
    ? { kind: 'gesture', gesture }
    : { kind: 'neutral' }

const puppet = await aPuppet({ avatar: Number(avatar) })
const { frames } = await puppet.perform(step, { deceit: DECEITS.find((name) => name === deceit) })
const decode = await (await openVision(await theOpenPack())).decoder.open()
const sheet = blankBitmap(320 * COLUMNS, 240 * Math.ceil(frames.length / COLUMNS))
for (const [i, { jpeg }] of frames.entries()) {
  const picture = decode(jpeg)
  const from = { ...picture, rgb: new Uint8ClampedArray(picture.rgb) }
  for (let y = 0; y < 240; y++)
    for (let x = 0; x < 320; x++) {
      const at = ((Math.floor(i / COLUMNS) * 240 + y) * sheet.width + (i % COLUMNS) * 320 + x) * 3
      samplePixel(from, x * 2 + 0.5, y * 2 + 0.5, sheet.rgb, at)
    }
}
process.stdout.write(writePng(sheet))
