import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gesture } from '@deputize/biometrics'
import { floats, floatsOf } from '../../biometrics/src/tensor-net.ts'
import { faceMesh } from '../../biometrics/src/vision/face-mesh.ts'
import { jpegDecoder } from '../../biometrics/src/vision/jpeg-decoder.ts'
import { theOpenPack } from '../an-engine.ts'
import type { Bitmap } from './bitmap.ts'
import { aFigure, type Figure } from './figure.ts'
import { FIXTURES, fixtureFile, PUPPET_CACHE } from './fixtures.ts'
import { cutHands, type PuppetHand } from './hands.ts'
import { readPng } from './png.ts'
import { compileFlite, type Flite } from './voice.ts'

const figures = new Map<number, Promise<Figure>>()

/** The figure of an avatar. Its points are measured once by the engine's own net and kept in the cache. */
export function figureOfAvatar(avatar: number): Promise<Figure> {
  const known = figures.get(avatar) ?? makeFigure(avatar)
  figures.set(avatar, known)
  return known
}

async function makeFigure(avatar: number): Promise<Figure> {
  const picture = readPng(await fixtureFile(FIXTURES.avatars, `${avatar}.png`))
  const file = join(PUPPET_CACHE, `mesh-${avatar}.bin`)
  if (!existsSync(file)) writeWhole(file, await meshOf(picture))
  const bytes = readFileSync(file)
  return aFigure(
    picture,
    new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
  )
}

/** The avatars are aligned: every face is at the same place in its picture. */
const FACE_AREA = { at: { x: 128, y: 148 }, span: 200, angle: 0 }

async function meshOf({ width, height, rgb }: Bitmap): Promise<Uint8Array> {
  const net = await (await theOpenPack()).openNet('facemesh')
  const run = async (values: Float32Array) => {
    const outputs = await net.run({ input_1: floats(values, [1, 192, 192, 3]) })
    return Object.fromEntries(Object.keys(outputs).map((name) => [name, floatsOf(outputs, name)]))
  }
  const picture = { width, height, rgb: new Uint8Array(rgb.buffer) }
  const { xyz } = await faceMesh(run, picture, FACE_AREA)
  return new Uint8Array(xyz.buffer)
}

/** Writes a file to the cache atomically. */
export function writeWhole(file: string, bytes: Uint8Array): void {
  mkdirSync(PUPPET_CACHE, { recursive: true })
  const work = `${file}.${randomUUID()}`
  writeFileSync(work, bytes)
  renameSync(work, file)
}

let flite: Promise<Flite> | undefined

export function fliteProgram(): Promise<Flite> {
  flite ??= fixtureFile(FIXTURES.flite, 'flite.wasm').then(compileFlite)
  return flite
}

let hands: Promise<Record<Gesture, PuppetHand>> | undefined

export async function handOf(gesture: Gesture): Promise<PuppetHand> {
  hands ??= theHands()
  return (await hands)[gesture]
}

async function theHands(): Promise<Record<Gesture, PuppetHand>> {
  const pack = await theOpenPack()
  const decoder = jpegDecoder(pack.read('decoder/libjpeg-turbo.cjs'), pack.read('decoder/libjpeg-turbo.wasm'))
  const decode = await decoder.open()
  const photo = async (name: string): Promise<Bitmap> => {
    const { width, height, rgb } = decode(await fixtureFile(FIXTURES.hands, name))
    return { width, height, rgb: new Uint8ClampedArray(rgb) }
  }
  return cutHands({
    gif: await fixtureFile(FIXTURES.hands, 'fingers-lq.gif'),
    pointing: await photo('nocurl.jpg'),
  })
}
