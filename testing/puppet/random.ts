/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export type Random = () => number

export function seeded(seed: number | string): Random {
  let state = typeof seed === 'number' ? seed >>> 0 : hashOf(seed)
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash
}

/** A normally distributed number. */
export function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

/** A slow wave around zero with an amplitude of about one, made of three sines. */
export function drift(random: Random): (t_ms: number) => number {
  const waves = [0.19, 0.43, 0.9].map((hertz) => ({
    hertz: hertz * (0.8 + 0.4 * random()),
    phase: 2 * Math.PI * random(),
  }))
  return (t_ms) =>
    waves.reduce(
      (sum, { hertz, phase }) => sum + Math.sin((2 * Math.PI * hertz * t_ms) / 1000 + phase) / 2.2,
      0,
    )
}
