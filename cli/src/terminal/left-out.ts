/** Reports that a command applied the journal of a crashed service to the store without its last batch. */
export function tellLeftOut(refusal: Error): void {
  process.stderr.write(
    `The last batch in the journal was left out because the store refuses a row of it (${refusal.message}). None of it was acknowledged, so nothing is lost.\n`,
  )
}
