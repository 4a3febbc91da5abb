/** Nothing can be said: what should have been checked was not there, or the question made no sense. */
export class Unchecked extends Error {
  override readonly name = 'Unchecked'
}
