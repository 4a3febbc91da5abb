import type { Operation } from '../operation.ts'
import {
  answerStep,
  beginSessionPasskey,
  cancelVerificationSession,
  capture,
  createVerificationSession,
  enroll,
  getEngine,
  getVerification,
  getVerificationSession,
  installEngine,
  listVerifications,
} from './biometric-sessions.ts'
import { deleteBiometrics, exportBiometrics, getBiometrics, getConsent } from './biometrics.ts'
import { deleteDuress, listDuressAlerts, resolveDuressAlert, setDuress } from './duress.ts'
import {
  collectHostedSession,
  createHostedSession,
  openHostedSession,
  previewHostedSession,
  transferHostedSession,
  watchHostedSession,
} from './hosted-sessions.ts'
import {
  beginPasskey,
  beginPasskeyLogin,
  deletePasskey,
  finishPasskey,
  finishPasskeyLogin,
  listPasskeys,
} from './passkeys.ts'
import { getLogin, listProviders, startLogin } from './sign-in.ts'
import { beginStepUp, finishStepUp } from './step-up.ts'

export const VERIFICATION_OPERATIONS = {
  startLogin,
  getLogin,
  listProviders,
  beginPasskey,
  finishPasskey,
  beginPasskeyLogin,
  finishPasskeyLogin,
  listPasskeys,
  deletePasskey,
  beginStepUp,
  finishStepUp,
  getConsent,
  getBiometrics,
  exportBiometrics,
  deleteBiometrics,
  createVerificationSession,
  answerStep,
  beginSessionPasskey,
  getVerificationSession,
  cancelVerificationSession,
  createHostedSession,
  previewHostedSession,
  openHostedSession,
  transferHostedSession,
  watchHostedSession,
  collectHostedSession,
  capture,
  enroll,
  getVerification,
  listVerifications,
  getEngine,
  installEngine,
  setDuress,
  deleteDuress,
  listDuressAlerts,
  resolveDuressAlert,
} as const satisfies Record<string, Operation>
