import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'

/**
 * Makes a connection compile each statement when it first runs. A store prepares about 200 statements, and compiling
 * them takes longer than anything else when it opens, while most processes run only some of them.
 */
export function prepareLazily(db: DatabaseSync): void {
  const prepare = db.prepare.bind(db)
  db.prepare = (sql) => new LazyStatement(prepare, sql) as unknown as StatementSync // the store calls no other methods
}

class LazyStatement {
  readonly #prepare: (sql: string) => StatementSync
  readonly #sql: string
  #compiled: StatementSync | undefined

  constructor(prepare: (sql: string) => StatementSync, sql: string) {
    this.#prepare = prepare
    this.#sql = sql
  }

  all(...values: SQLInputValue[]): ReturnType<StatementSync['all']> {
    return this.#statement().all(...values)
  }

  get(...values: SQLInputValue[]): ReturnType<StatementSync['get']> {
    return this.#statement().get(...values)
  }

  iterate(...values: SQLInputValue[]): ReturnType<StatementSync['iterate']> {
    return this.#statement().iterate(...values)
  }

  run(...values: SQLInputValue[]): ReturnType<StatementSync['run']> {
    return this.#statement().run(...values)
  }

  #statement(): StatementSync {
    this.#compiled ??= this.#prepare(this.#sql)
    return this.#compiled
  }
}
