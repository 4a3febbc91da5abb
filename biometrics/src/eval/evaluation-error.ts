/** A folder cannot be evaluated. The message names the file and what to change. */
export class EvaluationError extends Error {
  override readonly name = 'EvaluationError'
}
