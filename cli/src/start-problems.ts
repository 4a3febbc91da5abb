/** A program cannot start. `problems` lists the reasons and what to do about each. */
export class StartError extends Error {
  override readonly name = 'StartError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** Prints why a program cannot start, and exits. */
export function exitWithProblems(program: string, problems: readonly string[], exit_code: number): never {
  const list = problems.map((problem) => `  - ${problem}\n`).join('')
  process.stderr.write(`${program} cannot start.\n${list}`)
  process.exit(exit_code)
}

/** The message of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
