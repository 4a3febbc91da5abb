/** Says that a command brought the journal of a crashed service into the store without its last batch. */
export function tellLeftOut(refusal: Error): void {
  process.stderr.write(
    `The last batch in the journal was left out because the store refuses a row of it (${refusal.message}). Nothing of it was acknowledged, so nothing is lost.\n`,
  )
}
