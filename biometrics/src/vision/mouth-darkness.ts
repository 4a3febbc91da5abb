import { type FaceMesh, meshPoint } from './face-mesh.ts'
import { MOUTH } from './face-points.ts'
import { eyeCentres } from './face-pose.ts'
import { fitSimilarity } from './geometry.ts'
import { lumaAt } from './luma-patch.ts'
import { middle, type Picture } from './picture.ts'
import { place } from './sample.ts'

const SIZE = 32
/** The size of the patch in eye distances. */
const WIDTH = 0.9
const HEIGHT = 0.6
/** The darkest tenth of the patch is the inside of an open mouth, or the line between closed lips. */
const DARKEST = 0.1

/**
 * Returns how dark the inside of the mouth is compared with the skin around it: 0 for no darker, 1 for black. The lips
 * of the mesh lag behind quick speech; darkness does not.
 */
export function mouthDarkness(picture: Picture, mesh: FaceMesh): number {
  const { right, left } = eyeCentres(mesh)
  const level = fitSimilarity([ORIGIN, UNIT], [right, left])
  const mouth = middle([meshPoint(mesh, MOUTH.right), meshPoint(mesh, MOUTH.left)])
  const lumas = Array.from({ length: SIZE * SIZE }, (_, i) => {
    const across = (((i % SIZE) + 0.5) / SIZE - 0.5) * WIDTH
    const down = ((Math.floor(i / SIZE) + 0.5) / SIZE - 0.3) * HEIGHT
    const at = place({ ...level, x0: mouth.x, y0: mouth.y }, { x: across, y: down })
    return lumaAt(picture, Math.round(at.x), Math.round(at.y))
  }).sort((a, b) => a - b)
  const dark = meanOf(lumas.slice(0, Math.round(lumas.length * DARKEST)))
  const skin = lumas[Math.floor(lumas.length * 0.75)] ?? 0
  return skin === 0 ? 0 : Math.max(0, 1 - dark / skin)
}

const ORIGIN = { x: 0, y: 0 } as const
const UNIT = { x: 1, y: 0 } as const

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}
