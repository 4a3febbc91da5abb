import type { FuzzTarget } from '../../fuzzing/fuzz.ts'

/** A reader with a fault that chance alone doesn't find: four bytes in a row must match. */
export const plantedFault: FuzzTarget = {
  seeds: [Buffer.from('0000')],
  read([first, second, third, fourth]) {
    if (first !== 0x66) return true
    if (second !== 0x75) return true
    if (third !== 0x7a) return true
    if (fourth !== 0x79) return true
    throw new TypeError('planted')
  },
}
