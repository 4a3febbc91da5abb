/** What to tell the sender of a text for which `hasInexactNumber` is true. */
export const INEXACT_NUMBER =
  'a number in the arguments has more digits than a JSON parser keeps. Send it as a string.'

/** A number that parses exactly never needs more characters, apart from redundant zeros. */
const LONGEST_NUMBER = 400
const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/
const NUMBER_CHARACTERS = '0123456789+-.eE'

/**
 * Whether a JSON text has a number that `JSON.parse` changes, such as 12345678901234567. Code that decides on the parsed
 * number must refuse such a text: the program that acts on it may read all the digits. The text must be valid JSON.
 */
export function hasInexactNumber(json: string): boolean {
  for (let at = 0; at < json.length; ) {
    const character = json.charAt(at)
    if (character === '"') at = endOfString(json, at)
    else if (character !== '-' && !(character >= '0' && character <= '9')) at += 1
    else {
      const end = endOfNumber(json, at)
      if (end - at > LONGEST_NUMBER || !isExact(json.slice(at, end))) return true
      at = end
    }
  }
  return false
}

function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let first = end
    while (json.charAt(first - 1) === '\\') first -= 1
    if ((end - first) % 2 === 0) return end + 1
  }
  return json.length
}

function endOfNumber(json: string, start: number): number {
  let end = start + 1
  while (end < json.length && NUMBER_CHARACTERS.includes(json.charAt(end))) end += 1
  return end
}

function isExact(text: string): boolean {
  const written = decimalOf(text)
  return written !== undefined && written === decimalOf(String(Number(text)))
}

/** A canonical text for the value: the same for 1.50, 15e-1 and 1.5. Zero has no sign. */
function decimalOf(text: string): string | undefined {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? []
  if (whole === '') return undefined
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const power = Number(exponent) - fraction.length + digits.length - significant.length
  return `${text.startsWith('-') ? '-' : ''}${significant}e${power}`
}
