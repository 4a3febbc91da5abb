import { compileFunction } from 'node:vm'
import { PictureError, type PictureSize, readJpegHeader } from './jpeg-header.ts'
import type { Picture } from './picture.ts'

/** Decodes hostile bytes in WebAssembly, which cannot reach beyond its own memory. */
export interface JpegDecoder {
  /**
   * Opens a decoder with its own memory for one step, so that no bytes of one person remain when the next is judged. It
   * throws a `PictureError` for an unusable picture. After one that trapped the decoder, it refuses all others.
   */
  open(): Promise<(bytes: Uint8Array) => Picture>
}

/** The interface of the program in the pack: libjpeg-turbo, compiled by emscripten. */
interface TurboModule {
  readonly JPEGDecoder: new () => {
    getEncodedBuffer(length: number): Uint8Array
    decode(): void
    getDecodedBuffer(): Uint8Array
    getFrameInfo(): { readonly width: number; readonly height: number; readonly componentCount: number }
    delete(): void
  }
}

/** The part of the global that is used. Node's types omit it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => { readonly exports: object }
}

type TurboFactory = (options: {
  instantiateWasm(imports: object, done: (instance: object) => void): object
  print(): void
  printErr(): void
}) => Promise<TurboModule>

/** Creates the decoder from its two files in the pack, whose bytes were compared with the manifest. */
export function jpegDecoder(program: Uint8Array, wasm: Uint8Array): JpegDecoder {
  const factory = factoryOf(Buffer.from(program).toString())
  const compiled = new WebAssembly.Module(wasm)
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
      let isSpoilt = false
      return (bytes) => {
        const size = readJpegHeader(bytes)
        if (isSpoilt) throw new PictureError(DAMAGED)
        try {
          return decodeOne(turbo, bytes, size)
        } catch (error) {
          // A number is the address of a message: the decoder refused the picture itself. Anything else is a trap,
          // after which its memory can't be trusted.
          isSpoilt = typeof error !== 'number'
          throw new PictureError(DAMAGED)
        }
      }
    },
  }
}

/** Runs the program as a module that can load no other: it gets its WebAssembly from here and needs no files. */
function factoryOf(program: string): TurboFactory {
  const module: { exports: unknown } = { exports: {} }
  const run = compileFunction(program, ['module', 'exports', 'require', '__dirname', '__filename'])
  run(module, module.exports, () => ({}), '', '')
  // The bytes are pinned, and export this one function.
  return module.exports as TurboFactory
}

function decodeOne(turbo: TurboModule, bytes: Uint8Array, { width, height }: PictureSize): Picture {
  const decoder = new turbo.JPEGDecoder()
  try {
    decoder.getEncodedBuffer(bytes.length).set(bytes)
    decoder.decode()
    const info = decoder.getFrameInfo()
    if (info.width !== width || info.height !== height) throw new Error('another size than the header says')
    const rgb = decoder.getDecodedBuffer().slice()
    if (rgb.length !== width * height * 3) throw new Error('more or less than the picture')
    return { width, height, rgb }
  } finally {
    decoder.delete()
  }
}

const DAMAGED = 'The picture cannot be used: it is damaged. Send one JPEG per frame, as a canvas encodes it.'
