/** The places of the 468 points of the face mesh. Left and right are those of the picture. */

const MESH_POINTS = 468

/** Rings of the upper lip from the outside to the inside, each from left to right without the corners. */
export const UPPER_LIP = [
  [185, 40, 39, 37, 0, 267, 269, 270, 409],
  [184, 74, 73, 72, 11, 302, 303, 304, 408],
  [183, 42, 41, 38, 12, 268, 271, 272, 407],
  [191, 80, 81, 82, 13, 312, 311, 310, 415],
]
/** Rings of the lower lip in the same order. */
export const LOWER_LIP = [
  [146, 91, 181, 84, 17, 314, 405, 321, 375],
  [77, 90, 180, 85, 16, 315, 404, 320, 307],
  [96, 89, 179, 86, 15, 316, 403, 319, 325],
  [95, 88, 178, 87, 14, 317, 402, 318, 324],
]
export const LIP_CORNERS = [61, 76, 62, 78, 291, 306, 292, 308]

/** The edge of the mouth's inside. */
export const MOUTH_INSIDE = new Set([78, 308, ...(UPPER_LIP[3] ?? []), ...(LOWER_LIP[3] ?? [])])

export interface Eye {
  readonly upper: readonly number[]
  readonly lower: readonly number[]
  /** The fold above the lid, in the order of `upper`. */
  readonly fold: readonly number[]
}

export const LIDS: readonly Eye[] = [
  {
    upper: [246, 161, 160, 159, 158, 157, 173],
    lower: [7, 163, 144, 145, 153, 154, 155],
    fold: [247, 30, 29, 27, 28, 56, 190],
  },
  {
    upper: [466, 388, 387, 386, 385, 384, 398],
    lower: [249, 390, 373, 374, 380, 381, 382],
    fold: [467, 260, 259, 257, 258, 286, 414],
  },
]

/** The outline of the face, clockwise from the top of the forehead. */
export const OVAL = [
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149,
  150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
]

export const isFacePoint = (index: number): boolean => index < MESH_POINTS
