/** The target could not be checked: it is missing or unreadable, or the options contradict each other. */
export class Unchecked extends Error {
  override readonly name = 'Unchecked'
}
