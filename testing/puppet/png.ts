import { crc32, deflateSync, inflateSync } from 'node:zlib'
import { type Bitmap, blankBitmap } from './bitmap.ts'

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex')

/** Reads a PNG with 8-bit colour and no interlacing, like the avatars. */
export function readPng(bytes: Buffer): Bitmap {
  if (!bytes.subarray(0, 8).equals(SIGNATURE)) throw new Error('This is not a PNG.')
  const width = bytes.readUInt32BE(16)
  const height = bytes.readUInt32BE(20)
  const [depth, color, , , interlace] = bytes.subarray(24, 29)
  if (depth !== 8 || (color !== 2 && color !== 6) || interlace !== 0)
    throw new Error(
      `Only 8-bit RGB and RGBA without interlacing are read, not ${depth}/${color}/${interlace}.`,
    )
  return unfiltered(inflateSync(imageData(bytes)), width, height, color === 2 ? 3 : 4)
}

function imageData(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at)
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + length))
    at += length + 12
  }
  return Buffer.concat(parts)
}

function unfiltered(data: Buffer, width: number, height: number, channels: number): Bitmap {
  const picture = blankBitmap(width, height)
  const stride = width * channels
  let above = Buffer.alloc(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1)
    const line = Buffer.from(data.subarray(start + 1, start + 1 + stride))
    unfilterLine(data[start] ?? 0, line, above, channels)
    for (let x = 0; x < width; x++)
      for (let c = 0; c < 3; c++) picture.rgb[(y * width + x) * 3 + c] = line[x * channels + c] ?? 0
    above = line
  }
  return picture
}

function unfilterLine(filter: number, line: Buffer, above: Buffer, channels: number): void {
  for (let i = 0; i < line.length; i++) {
    const left = i < channels ? 0 : (line[i - channels] ?? 0)
    const up = above[i] ?? 0
    const corner = i < channels ? 0 : (above[i - channels] ?? 0)
    line[i] = ((line[i] ?? 0) + predicted(filter, left, up, corner)) & 255
  }
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const guess = left + up - corner
  const [byLeft, byUp, byCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)]
  if (byLeft <= byUp && byLeft <= byCorner) return left
  return byUp <= byCorner ? up : corner
}

/** Writes a PNG, to look at what a puppet does. */
export function writePng({ width, height, rgb }: Bitmap): Buffer {
  const lines = Buffer.alloc((width * 3 + 1) * height)
  for (let y = 0; y < height; y++)
    lines.set(rgb.subarray(y * width * 3, (y + 1) * width * 3), y * (width * 3 + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  const check = Buffer.alloc(4)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}
