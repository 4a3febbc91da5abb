/** For commands that prepare a database, or choose between one and a data directory. */
export { moveToDatabase } from './deployment/move.ts'
export { holdsDeployment } from './deployment/moved.ts'
export { ExpectedFailure } from './expected-failure.ts'
export type { MoveProgress } from './store/move/copy.ts'
export type { MigrationHolder, PendingMigration } from './store/postgres/migrate.ts'
export { migrateDatabase, pendingInDatabase } from './store/postgres/migrate-database.ts'
export { pendingInFile } from './store/sqlite/migrate.ts'
