/** Verifies a file: a proof pack or a receipt. */
import { isObject, JsonError, readJson } from '../encoding/json.ts'
import { PACK_FORMAT, type SoundPack, verifyProofPack } from './proof-pack.ts'
import { type CheckedReceipt, checkReceipt, type FileTrust } from './receipt.ts'

/** Longer than any receipt and any line of a pack. */
const MAX_LINE_CHARACTERS = 4 * 1024 * 1024

/** The file is neither a proof pack nor a receipt. This is not a fault of the log. */
export class UnknownFileError extends Error {
  override readonly name = 'UnknownFileError'
}

export type SoundFile =
  | ({ readonly kind: 'pack' } & SoundPack)
  | ({ readonly kind: 'receipt' } & CheckedReceipt)

/** Detects the type of the file and verifies it. Throws a LogFault or an UnknownFileError. */
export async function verifyProofFile(
  chunks: AsyncIterable<Uint8Array>,
  trust: FileTrust,
): Promise<SoundFile> {
  const lines = linesOf(chunks)
  try {
    return await verifyLines(lines, trust)
  } finally {
    await lines.return(undefined) // closes a file that was not read to its end
  }
}

async function verifyLines(lines: AsyncGenerator<string>, trust: FileTrust): Promise<SoundFile> {
  const first = await lines.next()
  if (first.done) throw new UnknownFileError('The file is empty.')
  const start = attempt(first.value)
  if (isObject(start) && start.format === PACK_FORMAT)
    return { kind: 'pack', ...(await verifyProofPack(startingWith(first.value, lines), trust)) }
  const whole = start ?? attempt(await joined(first.value, lines))
  if (!isObject(whole) || !('aar_id' in whole && 'entries' in whole))
    throw new UnknownFileError('The file is neither a proof pack nor a receipt.')
  return { kind: 'receipt', ...(await checkReceipt(whole, trust)) }
}

function attempt(text: string): unknown {
  try {
    return readJson(text)
  } catch (error) {
    if (error instanceof JsonError) return undefined
    throw error
  }
}

async function* startingWith(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

async function joined(first: string, rest: AsyncIterable<string>): Promise<string> {
  let text = first
  for await (const line of rest) {
    text += `\n${line}`
    if (text.length > MAX_LINE_CHARACTERS) throw tooLong()
  }
  return text
}

/** The lines of a UTF-8 text, without line endings. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decode = utf8Decoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decode(chunk)).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > MAX_LINE_CHARACTERS) throw tooLong()
  }
  rest += decode()
  if (rest !== '') yield rest
}

/** Decodes chunk by chunk. A call without a chunk ends the text. */
function utf8Decoder(): (chunk?: Uint8Array) => string {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined })
    } catch {
      throw new UnknownFileError('The file is not text in UTF-8.')
    }
  }
}

function tooLong(): UnknownFileError {
  return new UnknownFileError('The file has a line that is longer than any of a proof pack.')
}
