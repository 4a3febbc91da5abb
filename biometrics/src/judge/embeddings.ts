import { floatsToText, textToFloats } from '../vision/float-text.ts'

/** Returns the mean direction of unit vectors, with unit length. Undefined without vectors, or if they cancel out. */
export function meanEmbedding(embeddings: readonly string[]): string | undefined {
  const vectors = embeddings.map(textToFloats)
  const [first] = vectors
  if (first === undefined || vectors.some(({ length }) => length !== first.length)) return undefined
  const sum = first.map((_, index) => vectors.reduce((total, vector) => total + (vector[index] ?? 0), 0))
  const length = Math.hypot(...sum)
  return length > 0 ? floatsToText(sum.map((value) => value / length)) : undefined
}

/** Returns 1 for the same direction, 0 for unrelated ones. Undefined if the vectors can't be compared. */
export function cosine(one: string, other: string): number | undefined {
  const [a, b] = [textToFloats(one), textToFloats(other)]
  if (a.length === 0 || a.length !== b.length) return undefined
  const product = a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
  const lengths = Math.hypot(...a) * Math.hypot(...b)
  return lengths > 0 ? product / lengths : undefined
}
