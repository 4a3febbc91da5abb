/** One recorded call of an operation. A binary answer is left out. */
export interface Example {
  readonly params?: unknown
  readonly query?: unknown
  readonly body?: unknown
  readonly response?: unknown
}

/** Examples by operation id. */
export type Examples = Readonly<Record<string, Example>>
