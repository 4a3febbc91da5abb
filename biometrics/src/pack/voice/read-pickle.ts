/**
 * Reads the pickles in which PyTorch stores weights. A pickle is a program for a small machine, and the usual reader
 * runs anything that it names. This one knows four names, builds plain data from them, and refuses all other names and
 * instructions.
 */

/** A tensor as described by a pickle. Its numbers are elsewhere, in the storage called `key`. */
export class PickledTensor {
  readonly key: string
  readonly type: StorageType
  readonly offset: number
  readonly shape: readonly number[]
  readonly stride: readonly number[]

  constructor(storage: PickledStorage, offset: number, shape: readonly number[], stride: readonly number[]) {
    this.key = storage.key
    this.type = storage.type
    this.offset = offset
    this.shape = shape
    this.stride = stride
  }
}

class PickledStorage {
  readonly type: StorageType
  readonly key: string

  constructor(type: StorageType, key: string) {
    this.type = type
    this.key = key
  }
}

class PickledName {
  readonly name: KnownName

  constructor(name: KnownName) {
    this.name = name
  }
}

type StorageType = 'torch FloatStorage' | 'torch LongStorage'

const KNOWN_NAMES = [
  'torch._utils _rebuild_tensor_v2',
  'collections OrderedDict',
  'torch FloatStorage',
  'torch LongStorage',
] as const
type KnownName = (typeof KNOWN_NAMES)[number]

/** Dictionaries become maps, so that no key in a file can become a member of an object. */
export type Pickled =
  | null
  | boolean
  | number
  | bigint
  | string
  | PickledTensor
  | PickledStorage
  | PickledName
  | Pickled[]
  | Map<Pickled, Pickled>

const MARK = Symbol('mark')
/** No weights have more instructions than this, and no nesting is nearly as deep. */
const MOST_INSTRUCTIONS = 100_000

/** Reads one pickle from the start of `bytes`, and returns where it ends. Throws on anything except weights. */
export function readPickle(bytes: Uint8Array): { readonly value: Pickled; readonly end: number } {
  const machine = new PickleMachine(bytes)
  const value = machine.run()
  return { value, end: machine.at }
}

class PickleMachine {
  at = 0
  readonly #bytes: Buffer
  readonly #stack: (Pickled | typeof MARK)[] = []
  readonly #memo = new Map<number, Pickled>()

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  run(): Pickled {
    for (let count = 0; count < MOST_INSTRUCTIONS; count += 1) {
      const opcode = this.#byte()
      if (opcode === STOP) return this.#pop()
      const instruction = this.#instructions[opcode]
      if (instruction === undefined) throw refused(`the instruction 0x${opcode.toString(16)}`)
      instruction()
    }
    throw refused('that many instructions')
  }

  readonly #instructions: Readonly<Record<number, () => void>> = {
    128: () => this.#expect(this.#byte() === 2, 'that protocol'),
    40: () => this.#stack.push(MARK),
    78: () => this.#stack.push(null),
    136: () => this.#stack.push(true),
    137: () => this.#stack.push(false),
    74: () => this.#stack.push(this.#take(4).readInt32LE()),
    75: () => this.#stack.push(this.#byte()),
    77: () => this.#stack.push(this.#take(2).readUInt16LE()),
    71: () => this.#stack.push(this.#take(8).readDoubleBE()),
    138: () => this.#stack.push(littleEndian(this.#take(this.#byte()))),
    88: () => this.#stack.push(this.#take(this.#take(4).readUInt32LE()).toString('utf8')),
    93: () => this.#stack.push([]),
    125: () => this.#stack.push(new Map()),
    41: () => this.#stack.push([]),
    116: () => this.#stack.push(this.#sinceMark()),
    133: () => this.#stack.push([this.#pop()]),
    134: () => this.#stack.push(this.#popMany(2)),
    135: () => this.#stack.push(this.#popMany(3)),
    97: () => this.#append([this.#pop()]),
    101: () => this.#append(this.#sinceMark()),
    115: () => this.#setItems(this.#popMany(2)),
    117: () => this.#setItems(this.#sinceMark()),
    113: () => this.#remember(this.#byte()),
    114: () => this.#remember(this.#take(4).readUInt32LE()),
    104: () => this.#recall(this.#byte()),
    106: () => this.#recall(this.#take(4).readUInt32LE()),
    99: () => this.#stack.push(new PickledName(knownName(`${this.#line()} ${this.#line()}`))),
    81: () => this.#stack.push(storage(this.#pop())),
    82: () => this.#call(),
    // Attributes of a dictionary: layer versions, which no weight depends on.
    98: () => void this.#pop(),
  }

  #call(): void {
    const [callable, parts] = this.#popMany(2)
    this.#expect(callable instanceof PickledName && Array.isArray(parts), 'that call')
    this.#stack.push(build(callable.name, parts))
  }

  #append(items: readonly Pickled[]): void {
    const list = this.#top()
    this.#expect(Array.isArray(list), 'an item outside of a list')
    list.push(...items)
  }

  #setItems(items: readonly Pickled[]): void {
    const dictionary = this.#top()
    this.#expect(dictionary instanceof Map && items.length % 2 === 0, 'an item outside of a dictionary')
    for (let at = 0; at < items.length; at += 2) dictionary.set(items[at] ?? null, items[at + 1] ?? null)
  }

  #remember(key: number): void {
    this.#memo.set(key, this.#top())
  }

  #recall(key: number): void {
    const value = this.#memo.get(key)
    this.#expect(value !== undefined, 'a value that it never kept')
    this.#stack.push(value)
  }

  #sinceMark(): Pickled[] {
    const mark = this.#stack.lastIndexOf(MARK)
    this.#expect(mark !== -1, 'a list without a start')
    return this.#stack.splice(mark).filter((value) => value !== MARK)
  }

  #popMany(count: number): Pickled[] {
    return Array.from({ length: count }, () => this.#pop()).reverse()
  }

  #pop(): Pickled {
    const value = this.#stack.pop()
    this.#expect(value !== undefined && value !== MARK, 'more values than it has')
    return value
  }

  #top(): Pickled {
    const value = this.#pop()
    this.#stack.push(value)
    return value
  }

  #line(): string {
    const end = this.#bytes.indexOf(0x0a, this.at)
    this.#expect(end !== -1, 'a name without an end')
    const line = this.#bytes.toString('utf8', this.at, end)
    this.at = end + 1
    return line
  }

  #byte(): number {
    return this.#take(1).readUInt8()
  }

  #take(count: number): Buffer {
    const taken = this.#bytes.subarray(this.at, this.at + count)
    this.#expect(taken.length === count, 'bytes beyond its end')
    this.at += count
    return taken
  }

  #expect(holds: boolean, what: string): asserts holds {
    if (!holds) throw refused(what)
  }
}

const STOP = 0x2e

function knownName(name: string): KnownName {
  const known = KNOWN_NAMES.find((candidate) => candidate === name)
  if (known === undefined) throw refused(`the name ${JSON.stringify(name.slice(0, 60))}`)
  return known
}

/** Reads the tuple that names weights: the word "storage", a type, a key, where they were computed, and how many. */
function storage(id: Pickled): PickledStorage {
  if (!Array.isArray(id)) throw refused('that storage')
  const [word, type, key] = id
  if (word !== 'storage' || !(type instanceof PickledName) || typeof key !== 'string') {
    throw refused('that storage')
  }
  if (type.name !== 'torch FloatStorage' && type.name !== 'torch LongStorage') throw refused('that storage')
  return new PickledStorage(type.name, key)
}

function build(name: KnownName, parts: readonly Pickled[]): Pickled {
  if (name === 'collections OrderedDict' && parts.length === 0) return new Map()
  const [from, offset, shape, stride] = parts
  if (name !== 'torch._utils _rebuild_tensor_v2' || !(from instanceof PickledStorage)) {
    throw refused('that call')
  }
  if (!isSize(offset) || !isSizes(shape) || !isSizes(stride)) throw refused('that tensor')
  return new PickledTensor(from, offset, shape, stride)
}

function isSizes(value: Pickled | undefined): value is number[] {
  return Array.isArray(value) && value.every(isSize)
}

function isSize(value: Pickled | undefined): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0
}

function littleEndian(bytes: Buffer): bigint {
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x0${Buffer.from(bytes).reverse().toString('hex')}`))
}

function refused(what: string): Error {
  return new Error(`The weights are refused: their pickle uses ${what}.`)
}
