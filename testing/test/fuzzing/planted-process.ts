/** Fuzzes a reader with a planted fault. */

import { BlockCoverage } from '../../fuzzing/block-coverage.ts'
import { fuzz } from '../../fuzzing/fuzz.ts'
import { seededDraw } from '../../seeded-draw.ts'

const coverage = BlockCoverage.start(['planted-fault.ts'])
const { plantedFault } = await import('./planted-fault.ts')
await fuzz(plantedFault, coverage, seededDraw(1), 200_000)
