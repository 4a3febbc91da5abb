/** Indexes in the face mesh. Left and right are the person's; in the picture they are swapped. */
export const EYES = {
  right: { outer: 33, inner: 133, upper: [158, 159, 160], lower: [153, 145, 144] },
  left: { outer: 263, inner: 362, upper: [385, 386, 387], lower: [380, 374, 373] },
} as const
export const NOSE = { tip: 1, others: [4, 5] } as const
export const MOUTH = { right: 61, left: 291, upper: [13, 312, 82], lower: [14, 317, 87] } as const
export const FOREHEAD_TOP = 10
export const CHIN = 152
/** Pairs that are level on an upright face: right, then left. */
export const LEVEL_PAIRS = [
  [234, 454],
  [33, 263],
  [61, 291],
  [127, 356],
] as const
/** Nearly on one plane, so that a plane's movement explains theirs. The nose protrudes from it. */
export const PLANE = [33, 133, 362, 263, 70, 105, 300, 334, 50, 280, 61, 291] as const
export const FOREHEAD = [10, 67, 109, 338, 297, 151, 108, 337] as const
export const CHEEKS = [50, 101, 118, 36, 280, 330, 347, 266] as const
