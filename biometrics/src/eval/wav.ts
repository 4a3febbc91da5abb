import { EvaluationError } from './evaluation-error.ts'

const SAMPLE_RATE = 16_000

/** Returns the samples of a WAV file: mono, 16 kHz, 16-bit PCM. */
export function samplesOfWav(wav: Buffer, place: string): Uint8Array {
  if (wav.toString('latin1', 0, 4) !== 'RIFF' || wav.toString('latin1', 8, 12) !== 'WAVE')
    throw new EvaluationError(`${place} is not a WAV file.`)
  const format = chunkOf(wav, 'fmt ')
  const data = chunkOf(wav, 'data')
  const isRight =
    format !== undefined &&
    format.length >= 16 &&
    format.readUInt16LE(0) === 1 &&
    format.readUInt16LE(2) === 1 &&
    format.readUInt32LE(4) === SAMPLE_RATE &&
    format.readUInt16LE(14) === 16
  if (isRight && data !== undefined) return data
  throw new EvaluationError(`${place} must be mono, 16 kHz, 16-bit PCM.`)
}

/** Returns a WAV file with these samples. */
export function wavOf(pcm16: Uint8Array): Buffer {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0, 'latin1')
  header.writeUInt32LE(36 + pcm16.length, 4)
  header.write('WAVEfmt ', 8, 'latin1')
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLE_RATE, 24)
  header.writeUInt32LE(SAMPLE_RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36, 'latin1')
  header.writeUInt32LE(pcm16.length, 40)
  return Buffer.concat([header, pcm16])
}

function chunkOf(wav: Buffer, name: string): Buffer | undefined {
  let at = 12
  while (at + 8 <= wav.length) {
    const length = wav.readUInt32LE(at + 4)
    if (wav.toString('latin1', at, at + 4) === name) return wav.subarray(at + 8, at + 8 + length)
    // Chunks begin at even offsets.
    at += 8 + length + (length % 2)
  }
  return undefined
}
