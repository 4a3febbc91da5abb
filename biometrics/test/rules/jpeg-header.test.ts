import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { blankBitmap } from '../../../testing/puppet/bitmap.ts'
import { writeJpeg } from '../../../testing/puppet/jpeg.ts'
import { PICTURE_LIMITS, PictureError, readJpegHeader } from '../../src/vision/jpeg-header.ts'

const SOF = 0xc0
const GREY = writeJpeg(blankBitmap(320, 240), 80)

describe('reading the header of a JPEG', () => {
  test('returns the size of the picture', () => {
    assert.deepEqual(readJpegHeader(GREY), { width: 320, height: 240 })
  })

  for (const [what, bytes, reason] of [
    ['a PNG', Buffer.from('89504e470d0a1a0a', 'hex'), /not a JPEG/],
    ['nothing', new Uint8Array(), /not a JPEG/],
    ['a picture of 65500x65500 pixels', resized(65_500, 65_500), /larger than 1280x960/],
    ['a picture that is too high', resized(640, 961), /larger than/],
    ['a picture of 0x0 pixels', resized(0, 0), /smaller than 160x120/],
    ['a thumbnail', resized(159, 120), /smaller than/],
    ['12 bits per sample', changed(SOF, 2, 12), /12 bits/],
    ['CMYK', changed(SOF, 7, 4), /4 colour components/],
    ['a lossless JPEG', remarked(SOF, 0xc3), /baseline or progressive/],
    ['arithmetic coding', remarked(SOF, 0xc9), /baseline or progressive/],
    ['a size that comes later', remarked(SOF, 0xdc), /baseline or progressive/],
    ['two sizes', twice(SOF), /two pictures/],
    ['a second picture behind the first', Buffer.concat([GREY, GREY]), /after the end/],
    ['a film behind the picture', Buffer.concat([GREY, Buffer.from('ftypmp42')]), /after the end/],
    ['a picture without an end', GREY.subarray(0, -2), /ends too early/],
    ['a segment that reaches beyond the end', changed(SOF, 0, 0xff), /wrong length/],
    ['a scan bomb', scans(PICTURE_LIMITS.scans + 1), /more than 32 scans/],
    ['too many bytes', Buffer.concat([GREY, Buffer.alloc(PICTURE_LIMITS.bytes)]), /larger than 262144 bytes/],
  ] as const) {
    test(`refuses ${what}`, () => {
      assert.throws(
        () => readJpegHeader(bytes),
        (error) => error instanceof PictureError && reason.test(error.message),
      )
    })
  }

  test('skips EXIF with an orientation and its own thumbnail', () => {
    const exif = segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0II*\0'), GREY.subarray(0, 400)]))
    assert.deepEqual(readJpegHeader(spliced(exif)), { width: 320, height: 240 })
  })

  test('accepts a progressive picture with a typical number of scans', () => {
    const bytes = scans(10)
    bytes[at(bytes, SOF) - 1] = 0xc2
    assert.deepEqual(readJpegHeader(bytes), { width: 320, height: 240 })
  })

  test('never fails with any other error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: GREY.length }), (noise, cut) => {
        for (const bytes of [
          Buffer.concat([Buffer.from([0xff, 0xd8]), noise]),
          Buffer.concat([GREY.subarray(0, cut), noise, GREY.subarray(cut)]),
        ]) {
          try {
            const { width, height } = readJpegHeader(bytes)
            assert.ok(width <= PICTURE_LIMITS.max_width && height <= PICTURE_LIMITS.max_height)
          } catch (error) {
            assert.ok(error instanceof PictureError, String(error))
          }
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

/** Returns where the body of the first segment with `marker` begins, which is its length field. */
function at(bytes: Uint8Array, marker: number): number {
  const found = bytes.findIndex((byte, i) => byte === 0xff && bytes[i + 1] === marker)
  assert.notEqual(found, -1)
  return found + 2
}

function changed(marker: number, offset: number, value: number): Uint8Array {
  const bytes = Uint8Array.from(GREY)
  bytes[at(bytes, marker) + offset] = value
  return bytes
}

function remarked(marker: number, to: number): Uint8Array {
  return changed(marker, -1, to)
}

function resized(width: number, height: number): Uint8Array {
  const bytes = Buffer.from(GREY)
  bytes.writeUInt16BE(height, at(bytes, SOF) + 3)
  bytes.writeUInt16BE(width, at(bytes, SOF) + 5)
  return bytes
}

function segment(marker: number, body: Uint8Array): Uint8Array {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(body.length + 2)
  return Buffer.concat([Buffer.from([0xff, marker]), length, body])
}

function spliced(extra: Uint8Array): Uint8Array {
  return Buffer.concat([GREY.subarray(0, 2), extra, GREY.subarray(2)])
}

function twice(marker: number): Uint8Array {
  const start = at(GREY, marker)
  const length = (GREY[start] ?? 0) * 256 + (GREY[start + 1] ?? 0)
  return Buffer.concat([
    GREY.subarray(0, start + length),
    GREY.subarray(start - 2, start + length),
    GREY.subarray(start + length),
  ])
}

/** Returns the picture with its scan repeated `count` times. */
function scans(count: number): Buffer {
  const start = at(GREY, 0xda) - 2
  const scan = GREY.subarray(start, -2)
  return Buffer.concat([
    GREY.subarray(0, start),
    ...Array.from({ length: count }, () => scan),
    GREY.subarray(-2),
  ])
}
