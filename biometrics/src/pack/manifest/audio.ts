import { kept, type PackageSource } from './source.ts'

/** Nets that find speech and recognise it. */
export const AUDIO_NETS: readonly PackageSource[] = [
  {
    registry: 'npm',
    name: '@moonshine-ai/moonshine-js',
    version: '0.1.29',
    integrity:
      'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
    bytes: 21_514_347,
    licence: 'MIT',
    origin: 'Moonshine tiny (English), Useful Sensors',
    files: [
      kept(
        'package/dist/model/tiny/quantized/encoder_model.onnx',
        'nets/moonshine-encoder.onnx',
        7_937_661,
        'c6fc4b7bc5af75c0591fd157a1f3829b533d18e9769a888fd95a62e470dd4f4a',
      ),
      kept(
        'package/dist/model/tiny/quantized/decoder_model_merged.onnx',
        'nets/moonshine-decoder.onnx',
        20_243_286,
        'eed87831c3a6103534aae7d47a5d485025c659a1323901513961c39fe8a1a367',
      ),
    ],
  },
  {
    registry: 'npm',
    name: '@ricky0123/vad-web',
    version: '0.0.31',
    integrity:
      'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
    bytes: 5_471_324,
    licence: 'MIT',
    origin: 'Silero VAD version 5, Silero Team',
    files: [
      kept(
        'package/dist/silero_vad_v5.onnx',
        'nets/silero-vad.onnx',
        2_327_524,
        '2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f',
      ),
    ],
  },
]
