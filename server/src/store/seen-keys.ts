/** Reports the first time each key occurs. Keys are small and dense, so it uses one bit for each. */
export function seenKeys() {
  let bits = new Uint8Array(1024)
  return {
    isFirst(key: number): boolean {
      const place = key >>> 3
      if (place >= bits.length) {
        const larger = new Uint8Array(Math.max(place + 1, bits.length * 2))
        larger.set(bits)
        bits = larger
      }
      const mask = 1 << (key & 7)
      const was = bits[place] ?? 0
      bits[place] = was | mask
      return (was & mask) === 0
    },
  }
}
