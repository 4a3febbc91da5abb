/** The exit codes of all commands. 1 and 2 have a second meaning in `deputy check` and `deputy verify`. */
export const EXIT = {
  /** Done, allowed, or sound. */
  done: 0,
  /** The rules deny the action. */
  denied: 1,
  /** `check` and `verify`: something is wrong with the data. */
  fault: 1,
  /** Invalid options or input. */
  usage: 2,
  /** `check` and `verify`: the data could not be checked. */
  unchecked: 2,
  /** The service did not answer, or cannot. */
  unreachable: 3,
  /** The service refused the call. */
  refused: 4,
  /** An unexpected error. Not 1, which Node would use, because 1 means denied. */
  failed: 70,
  /** The program cannot start with this configuration. */
  config: 78,
  /** Ended by Ctrl-C. */
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
