/** For the commands `deputy backup` and `deputy restore`. */
export { ExpectedFailure } from '../expected-failure.ts'
export {
  BackupFaulty,
  type BackupProgress,
  type BackupReport,
  backUp,
  type DeploymentPlace,
} from './back-up.ts'
export { readBackupManifest } from './backup-file.ts'
export { restore } from './restore.ts'
export { type RestoreProgress, RestoreRefused, type RestoreReport } from './restore-options.ts'
export { BackupUnreadable } from './sealed-file.ts'
