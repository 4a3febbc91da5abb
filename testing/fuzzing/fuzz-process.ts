/** Fuzzes readers: `node fuzz-process.ts <reader> <inputs> <seed>`. A separate process, so V8 counts its blocks. */
import { seededDraw } from '../seeded-draw.ts'
import { BlockCoverage } from './block-coverage.ts'
import { fuzz } from './fuzz.ts'
import { FUZZ_TARGETS } from './fuzz-targets.ts'

const [name = '', inputs, seed] = process.argv.slice(2)
const fuzzed = FUZZ_TARGETS[name]
if (fuzzed === undefined) throw new Error(`There is no reader ${name}.`)
const coverage = BlockCoverage.start(fuzzed.sources)
const target = await fuzzed.load()
const report = await fuzz(target, coverage, seededDraw(Number(seed)), Number(inputs))
console.log(JSON.stringify({ ...report, ...coverage.blocks() }))
