/** Returns floats as base64 of little-endian float32, the form of embeddings in evidence. */
export function floatsToText(values: Float32Array): string {
  const bytes = Buffer.alloc(values.length * 4)
  values.forEach((value, i) => {
    bytes.writeFloatLE(value, i * 4)
  })
  return bytes.toString('base64')
}

export function textToFloats(text: string): Float32Array {
  const bytes = Buffer.from(text, 'base64')
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => bytes.readFloatLE(i * 4))
}
