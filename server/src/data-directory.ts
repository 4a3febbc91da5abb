/** For commands that keep their own data directory. */
export { KeyFileError } from './keys/key-document.ts'
export { assertPrivate } from './keys/key-file.ts'
export { writeDurably } from './keys/write-durably.ts'
export { makeDirectory } from './make-directory.ts'
export { DirectoryInUse, lockDataDirectory } from './store/sqlite/directory-lock.ts'
export { VERSION } from './version.ts'
