import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PictureError, readJpegHeader } from './jpeg-header.ts'
import type { Picture } from './picture.ts'

/** Decodes hostile bytes in WebAssembly, which cannot reach beyond its own memory. */
export interface JpegDecoder {
  /** A decoder with memory of its own, for one step: no bytes of one person are there when the next one is judged. */
  open(): Promise<(bytes: Uint8Array) => Picture>
}

/** What the program in the pack offers: libjpeg-turbo, compiled by emscripten. */
interface TurboModule {
  readonly JPEGDecoder: new () => {
    getEncodedBuffer(length: number): Uint8Array
    decode(): void
    getDecodedBuffer(): Uint8Array
    getFrameInfo(): { readonly width: number; readonly height: number; readonly componentCount: number }
    delete(): void
  }
}

/** The part of the global that is used; the types of Node leave it out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

type TurboFactory = (options: {
  instantiateWasm(imports: object, done: (instance: object) => void): object
  print(): void
  printErr(): void
}) => Promise<TurboModule>

/** Loads the decoder from its two files in the pack. */
export function jpegDecoder(program: string, wasm: string): JpegDecoder {
  // The file is one of the pinned members of the pack, and exports this one function.
  const factory = createRequire(import.meta.url)(program) as TurboFactory
  const compiled = new WebAssembly.Module(readFileSync(wasm))
  return {
    async open() {
      const turbo = await factory({
        instantiateWasm(imports, done) {
          const instance = new WebAssembly.Instance(compiled, imports)
          done(instance)
          return instance.exports
        },
        print() {},
        printErr() {},
      })
      return (bytes) => decodeOne(turbo, bytes)
    },
  }
}

function decodeOne(turbo: TurboModule, bytes: Uint8Array): Picture {
  const { width, height } = readJpegHeader(bytes)
  const decoder = new turbo.JPEGDecoder()
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes)
    decodeOrRefuse(decoder)
    const info = decoder.getFrameInfo()
    if (info.width !== width || info.height !== height) throw new PictureError(DAMAGED)
    return { width, height, rgb: decoder.getDecodedBuffer().slice() }
  } finally {
    decoder.delete()
  }
}

const DAMAGED = 'The picture cannot be used: it is damaged. Send one JPEG per frame, as a canvas encodes it.'

function decodeOrRefuse(decoder: { decode(): void }): void {
  try {
    decoder.decode()
  } catch {
    // The program throws the address of a message in its memory.
    throw new PictureError(DAMAGED)
  }
}
