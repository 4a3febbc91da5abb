import { answerStep } from './answer-step.ts'
import { beginKeyPasskey } from './begin-key-passkey.ts'
import { beginPasskey } from './begin-passkey.ts'
import { beginPasskeyLogin } from './begin-passkey-login.ts'
import { beginSessionPasskey } from './begin-session-passkey.ts'
import { beginStepUp } from './begin-step-up.ts'
import { cancelVerificationSession } from './cancel-verification-session.ts'
import { capture } from './capture.ts'
import { collectHostedSession } from './collect-hosted-session.ts'
import { createHostedSession } from './create-hosted-session.ts'
import { createVerificationSession } from './create-verification-session.ts'
import { deleteBiometrics } from './delete-biometrics.ts'
import { deleteDuress } from './delete-duress.ts'
import { deleteKeyPasskey } from './delete-key-passkey.ts'
import { deletePasskey } from './delete-passkey.ts'
import { enroll } from './enroll.ts'
import { exportBiometrics } from './export-biometrics.ts'
import { finishKeyPasskey } from './finish-key-passkey.ts'
import { finishPasskey } from './finish-passkey.ts'
import { finishPasskeyLogin } from './finish-passkey-login.ts'
import { finishStepUp } from './finish-step-up.ts'
import { getBiometrics } from './get-biometrics.ts'
import { getConsent } from './get-consent.ts'
import { getEngine } from './get-engine.ts'
import { getLogin } from './get-login.ts'
import { getVerification } from './get-verification.ts'
import { getVerificationSession } from './get-verification-session.ts'
import { installEngine } from './install-engine.ts'
import { listDuressAlerts } from './list-duress-alerts.ts'
import { listKeyPasskeys } from './list-key-passkeys.ts'
import { listPasskeys } from './list-passkeys.ts'
import { listProviders } from './list-providers.ts'
import { listVerifications } from './list-verifications.ts'
import { openHostedSession } from './open-hosted-session.ts'
import { previewHostedSession } from './preview-hosted-session.ts'
import { resolveDuressAlert } from './resolve-duress-alert.ts'
import { setDuress } from './set-duress.ts'
import { signInWithPasskey } from './sign-in-with-passkey.ts'
import { startLogin } from './start-login.ts'
import { transferHostedSession } from './transfer-hosted-session.ts'
import { watchHostedSession } from './watch-hosted-session.ts'

export const VERIFICATION_HANDLERS = {
  startLogin,
  getLogin,
  listProviders,
  beginPasskey,
  finishPasskey,
  beginPasskeyLogin,
  finishPasskeyLogin,
  listPasskeys,
  deletePasskey,
  beginKeyPasskey,
  finishKeyPasskey,
  signInWithPasskey,
  listKeyPasskeys,
  deleteKeyPasskey,
  beginStepUp,
  finishStepUp,
  getConsent,
  getBiometrics,
  exportBiometrics,
  deleteBiometrics,
  answerStep,
  beginSessionPasskey,
  cancelVerificationSession,
  capture,
  createVerificationSession,
  collectHostedSession,
  createHostedSession,
  openHostedSession,
  previewHostedSession,
  transferHostedSession,
  watchHostedSession,
  enroll,
  getEngine,
  getVerification,
  getVerificationSession,
  installEngine,
  listVerifications,
  setDuress,
  deleteDuress,
  listDuressAlerts,
  resolveDuressAlert,
}
