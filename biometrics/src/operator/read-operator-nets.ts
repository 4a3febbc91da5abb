import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { OPERATOR_NET_PURPOSES, type OperatorNet, type OperatorNetInput } from '../contract.ts'
import { PackError } from '../pack/pack-error.ts'

/**
 * Reads the file that declares the operator's own nets, and the nets. Throws a `PackError` that lists all problems,
 * each with its place in the file.
 */
export function readOperatorNets(file: string): OperatorNet[] {
  const declaration = new Declaration(readJson(file), '')
  const entries = declaration.member('nets').list()
  const nets = entries.map((entry) => readNet(entry, dirname(file)))
  const names = entries.map((entry) => entry.member('name').value)
  const problems = [...declaration.problems, ...repeatedNames(names)]
  if (problems.length === 0) return nets
  throw new PackError(`DEPUTY_ENGINE_NETS, ${file}:\n${problems.join('\n')}`)
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new PackError(`DEPUTY_ENGINE_NETS names ${file}, which can't be read as JSON: ${why}`)
  }
}

function readNet(entry: Declaration, folder: string): OperatorNet {
  const purpose = entry.member('purpose').oneOf(OPERATOR_NET_PURPOSES)
  const output = entry.member('output')
  return {
    name: entry.member('name').text(/^[a-z][a-z0-9_]{0,31}$/, 'a name such as my_net'),
    purpose,
    role: entry.member('role').oneOf(['observe', 'gate']),
    threshold: entry.member('threshold').number(0, 1),
    input: readInput(entry.member('input'), purpose),
    output: {
      name: output.member('name').text(/./, 'the name of an output of the net'),
      index: output.member('index').integer(0, 100_000),
      activation: output.member('activation').oneOf(['none', 'sigmoid', 'softmax']),
      means: output.member('means').oneOf(['genuine', 'attack']),
    },
    model: readModel(entry, folder),
  }
}

function readInput(input: Declaration, purpose: OperatorNet['purpose']): OperatorNetInput {
  const name = input.member('name').text(/./, 'the name of an input of the net')
  if (purpose === 'voice') return { name, samples: input.member('samples').integer(1600, 480_000) }
  return {
    name,
    size: input.member('size').integer(16, 1024),
    layout: input.member('layout').oneOf(['nchw', 'nhwc']),
    channels: input.member('channels').oneOf(['rgb', 'bgr']),
    mean: input.member('mean').three(-1000, 1000),
    std: input.member('std').three(0.000_001, 1000),
    face_scale: input.member('face_scale').number(0.5, 5),
  }
}

/** Reads a net. Its path is relative to the declaration. Its hash proves that it is the net that was measured. */
function readModel(entry: Declaration, folder: string): Uint8Array {
  const path = resolve(folder, entry.member('path').text(/./, 'the path of an ONNX file'))
  const sha256 = entry.member('sha256').text(/^[0-9a-f]{64}$/, 'the SHA-256 of the file, in lower-case hex')
  if (sha256 === '') return new Uint8Array()
  try {
    const bytes = readFileSync(path)
    const found = createHash('sha256').update(bytes).digest('hex')
    if (found !== sha256) entry.member('sha256').refuse(`is not the hash of ${path}, which is ${found}`)
    return bytes
  } catch {
    entry.member('path').refuse(`names ${path}, which can't be read`)
    return new Uint8Array()
  }
}

function repeatedNames(names: readonly unknown[]): string[] {
  const repeated = names.filter((name, index) => names.indexOf(name) !== index)
  return [...new Set(repeated)].map((name) => `/nets: the name "${name}" is declared twice`)
}

/** A value in the file and its place. Invalid values are recorded, and reading continues. */
class Declaration {
  readonly value: unknown
  readonly problems: string[]
  readonly #pointer: string

  constructor(value: unknown, pointer: string, problems: string[] = []) {
    this.value = value
    this.problems = problems
    this.#pointer = pointer
  }

  member(name: string): Declaration {
    // A cast, because members of any object can be read; other values have none.
    const members = typeof this.value === 'object' ? (this.value as Record<string, unknown> | null) : null
    return new Declaration(members?.[name], `${this.#pointer}/${name}`, this.problems)
  }

  refuse(problem: string): void {
    this.problems.push(`${this.#pointer} ${problem}`)
  }

  list(): Declaration[] {
    if (!Array.isArray(this.value)) {
      this.refuse('must be a list')
      return []
    }
    return this.value.map((one, index) => new Declaration(one, `${this.#pointer}/${index}`, this.problems))
  }

  text(pattern: RegExp, what: string): string {
    if (typeof this.value === 'string' && pattern.test(this.value)) return this.value
    this.refuse(`must be ${what}`)
    return ''
  }

  number(least: number, most: number): number {
    if (typeof this.value === 'number' && this.value >= least && this.value <= most) return this.value
    this.refuse(`must be a number from ${least} to ${most}`)
    return least
  }

  integer(least: number, most: number): number {
    if (Number.isInteger(this.value)) return this.number(least, most)
    this.refuse(`must be an integer from ${least} to ${most}`)
    return least
  }

  three(least: number, most: number): number[] {
    if (Array.isArray(this.value) && this.value.length === 3) {
      return this.list().map((one) => one.number(least, most))
    }
    this.refuse('must be a list of three numbers, one for each channel')
    return []
  }

  oneOf<const Value extends string>(values: readonly [Value, ...Value[]]): Value {
    const found = values.find((value) => value === this.value)
    if (found !== undefined) return found
    this.refuse(`must be one of ${values.join(', ')}`)
    return values[0]
  }
}
