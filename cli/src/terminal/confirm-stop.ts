import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'

/** Where a question is asked. Answers go to standard output, so the question goes to standard error. */
export interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/** Opened on demand: most commands never look at standard input. */
export function ownTerminal(): Terminal {
  return { input: process.stdin, output: process.stderr }
}

/** Whether a person at the terminal can answer. */
export function isAttended({ input, output }: Terminal): boolean {
  return input.isTTY === true && output.isTTY === true
}

/** Prints what a command ends or destroys, and asks whether to continue. Anything but yes is no, even end of input. */
export async function confirmsStop(words: string, verb: string, terminal: Terminal): Promise<boolean> {
  const { input, output } = terminal
  output.write(`${words}\n`)
  const lines = createInterface({ input, output, terminal: false })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  try {
    const answer = await Promise.race([lines.question(`${verb}? [y/N] `), closed])
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    lines.close()
  }
}
