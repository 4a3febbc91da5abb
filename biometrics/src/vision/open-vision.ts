import type { Pack } from '../pack/open-pack.ts'
import { floats, floatsOf } from '../tensor-net.ts'
import type { VisionParts } from './analyse-vision.ts'
import { jpegDecoder } from './jpeg-decoder.ts'
import type { PictureNet } from './nets.ts'

/** Loads the parts that `analyseVision` needs from the pack. */
export async function openVision(pack: Pack): Promise<VisionParts> {
  return {
    decoder: jpegDecoder(pack.read('decoder/libjpeg-turbo.cjs'), pack.read('decoder/libjpeg-turbo.wasm')),
    nets: {
      face_detector: await pictureNet(pack, 'blazeface', 'input', [1, 256, 256, 3]),
      face_mesh: await pictureNet(pack, 'facemesh', 'input_1', [1, 192, 192, 3]),
      eye_contour: await pictureNet(pack, 'iris', 'input_1', [1, 64, 64, 3]),
      face_embedding: await pictureNet(pack, 'sface', 'data', [1, 3, 112, 112]),
      palm_detector: await pictureNet(pack, 'handdetect', 'input', [1, 256, 256, 3]),
      hand_landmarks: await pictureNet(pack, 'handlandmark-full', 'input_1', [1, 224, 224, 3]),
    },
  }
}

async function pictureNet(
  pack: Pack,
  name: string,
  input: string,
  shape: readonly number[],
): Promise<PictureNet> {
  const net = await pack.openNet(name)
  return async (pixels) => {
    const outputs = await net.run({ [input]: floats(pixels, shape) })
    return Object.fromEntries(Object.keys(outputs).map((key) => [key, floatsOf(outputs, key)]))
  }
}
