import type { Pack } from '../pack/open-pack.ts'
import type { VisionParts } from './analyse-vision.ts'
import { jpegDecoder } from './jpeg-decoder.ts'
import type { PictureNet } from './nets.ts'

/** Loads what `analyseVision` needs from the pack. */
export async function openVision(pack: Pack): Promise<VisionParts> {
  return {
    decoder: jpegDecoder(pack.read('jpeg/decode.cjs'), pack.read('jpeg/decode.wasm')),
    nets: {
      face_detector: await pictureNet(pack, 'blazeface', [1, 256, 256, 3]),
      face_mesh: await pictureNet(pack, 'facemesh', [1, 192, 192, 3]),
      face_embedding: await pictureNet(pack, 'sface', [1, 3, 112, 112]),
      palm_detector: await pictureNet(pack, 'handdetect', [1, 256, 256, 3]),
      hand_landmarks: await pictureNet(pack, 'handlandmark-full', [1, 224, 224, 3]),
    },
  }
}

async function pictureNet(pack: Pack, name: string, shape: readonly number[]): Promise<PictureNet> {
  const net = await pack.openNet(name)
  const [input = ''] = net.inputNames
  return async (pixels) => {
    const outputs = await net.run({ [input]: pack.tensor('float32', pixels, shape) })
    return Object.fromEntries(Object.entries(outputs).map(([key, { data }]) => [key, floats(data)]))
  }
}

function floats(data: unknown): Float32Array {
  if (!(data instanceof Float32Array)) throw new Error('the net does not answer with floats')
  return data
}
