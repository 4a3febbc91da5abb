import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { theOpenPack } from '../../../testing/an-engine.ts'
import { type Bitmap, blankBitmap } from '../../../testing/puppet/bitmap.ts'
import { writeJpeg } from '../../../testing/puppet/jpeg.ts'
import { type Random, seeded } from '../../../testing/puppet/random.ts'
import { type JpegDecoder, jpegDecoder } from '../../src/vision/jpeg-decoder.ts'
import { PictureError } from '../../src/vision/jpeg-header.ts'

const MUTANTS = Number(process.env.JPEG_MUTANTS ?? 10_000)

describe('decoding a frame', () => {
  let decoder: JpegDecoder
  const picture = gradient(160, 128)
  const jpeg = writeJpeg(picture, 85)

  before(async () => {
    const pack = await theOpenPack()
    decoder = jpegDecoder(pack.read('decoder/libjpeg-turbo.cjs'), pack.read('decoder/libjpeg-turbo.wasm'))
  })

  test('returns the colours that were encoded', async () => {
    const decode = await decoder.open()
    const { width, height, rgb } = decode(jpeg)
    assert.deepEqual([width, height, rgb.length], [160, 128, 160 * 128 * 3])
    const off = rgb.reduce((sum, value, i) => sum + Math.abs(value - (picture.rgb[i] ?? 0)), 0) / rgb.length
    assert.ok(off < 3, `the mean error is ${off}`)
  })

  test('refuses a picture that ends in the middle of its last scan', async () => {
    const decode = await decoder.open()
    const cut = Buffer.concat([jpeg.subarray(0, Math.round(jpeg.length / 2)), Buffer.from([0xff, 0xd9])])
    assert.throws(() => decode(cut), PictureError)
  })

  test(`neither crashes nor grows with ${MUTANTS} damaged pictures, and decodes the next one correctly`, async () => {
    const random = seeded('mutants')
    const expected = (await decoder.open())(jpeg).rgb
    const refused = { count: 0 }
    let decode = await decoder.open()
    const before_bytes = memoryBytes()
    for (let i = 0; i < MUTANTS; i++) {
      try {
        const { width, height, rgb } = decode(mutant(jpeg, random))
        assert.equal(rgb.length, width * height * 3)
      } catch (error) {
        assert.ok(error instanceof PictureError, String(error))
        refused.count += 1
        // A step with a damaged frame is refused, so a decoder never sees as many as here.
        if (refused.count % 500 === 0) decode = await decoder.open()
      }
    }
    assert.ok(refused.count > MUTANTS / 10, `${refused.count} were refused`)
    assert.ok(refused.count < MUTANTS, 'some must reach the decoder and be decoded')
    assert.deepEqual((await decoder.open())(jpeg).rgb, expected)
    assert.ok(memoryBytes() - before_bytes < 512 * 2 ** 20, 'the memory of the decoder grew')
  })

  test('shares no memory between steps', async () => {
    const [one, other] = [await decoder.open(), await decoder.open()]
    const first = one(jpeg)
    other(writeJpeg(blankBitmap(160, 128), 85))
    assert.deepEqual(one(jpeg).rgb, first.rgb)
  })
})

function memoryBytes(): number {
  const { arrayBuffers, external } = process.memoryUsage()
  return arrayBuffers + external
}

function gradient(width: number, height: number): Bitmap {
  const bitmap = blankBitmap(width, height)
  for (let i = 0; i < width * height; i++) {
    const [x, y] = [i % width, Math.floor(i / width)]
    bitmap.rgb.set([x, 2 * y, 128 + 60 * Math.sin(x / 9)], i * 3)
  }
  return bitmap
}

/** Returns the picture with a few bytes changed, removed, inserted or repeated, anywhere or in the header. */
function mutant(jpeg: Uint8Array, random: Random): Uint8Array {
  const bytes = Buffer.from(jpeg)
  const reach = random() < 0.5 ? bytes.length : 700
  const place = () => Math.floor(random() * reach)
  for (let n = Math.floor(random() * 8); n >= 0; n--) bytes[place()] = Math.floor(random() * 256)
  const [from, to] = [place(), place()].sort((a, b) => a - b)
  switch (Math.floor(random() * 4)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
    case 1:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)])
    default:
      return bytes
  }
}
