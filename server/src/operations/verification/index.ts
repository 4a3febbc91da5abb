import { answerStep } from './biometric-sessions/answer-step.ts'
import { beginSessionPasskey } from './biometric-sessions/begin-session-passkey.ts'
import { cancelVerificationSession } from './biometric-sessions/cancel-verification-session.ts'
import { capture } from './biometric-sessions/capture.ts'
import { createVerificationSession } from './biometric-sessions/create-verification-session.ts'
import { enroll } from './biometric-sessions/enroll.ts'
import { getEngine } from './biometric-sessions/get-engine.ts'
import { getVerification } from './biometric-sessions/get-verification.ts'
import { getVerificationSession } from './biometric-sessions/get-verification-session.ts'
import { installEngine } from './biometric-sessions/install-engine.ts'
import { listVerifications } from './biometric-sessions/list-verifications.ts'
import { deleteBiometrics } from './biometrics/delete-biometrics.ts'
import { exportBiometrics } from './biometrics/export-biometrics.ts'
import { getBiometrics } from './biometrics/get-biometrics.ts'
import { getConsent } from './biometrics/get-consent.ts'
import { deleteDuress } from './duress/delete-duress.ts'
import { listDuressAlerts } from './duress/list-duress-alerts.ts'
import { resolveDuressAlert } from './duress/resolve-duress-alert.ts'
import { setDuress } from './duress/set-duress.ts'
import { collectHostedSession } from './hosted-sessions/collect-hosted-session.ts'
import { createHostedSession } from './hosted-sessions/create-hosted-session.ts'
import { openHostedSession } from './hosted-sessions/open-hosted-session.ts'
import { previewHostedSession } from './hosted-sessions/preview-hosted-session.ts'
import { transferHostedSession } from './hosted-sessions/transfer-hosted-session.ts'
import { watchHostedSession } from './hosted-sessions/watch-hosted-session.ts'
import { beginKeyPasskey } from './key-passkeys/begin-key-passkey.ts'
import { deleteKeyPasskey } from './key-passkeys/delete-key-passkey.ts'
import { finishKeyPasskey } from './key-passkeys/finish-key-passkey.ts'
import { listKeyPasskeys } from './key-passkeys/list-key-passkeys.ts'
import { signInWithPasskey } from './key-passkeys/sign-in-with-passkey.ts'
import { beginPasskey } from './passkeys/begin-passkey.ts'
import { beginPasskeyLogin } from './passkeys/begin-passkey-login.ts'
import { deletePasskey } from './passkeys/delete-passkey.ts'
import { finishPasskey } from './passkeys/finish-passkey.ts'
import { finishPasskeyLogin } from './passkeys/finish-passkey-login.ts'
import { listPasskeys } from './passkeys/list-passkeys.ts'
import { getLogin } from './sign-in/get-login.ts'
import { listProviders } from './sign-in/list-providers.ts'
import { startLogin } from './sign-in/start-login.ts'
import { beginStepUp } from './step-up/begin-step-up.ts'
import { finishStepUp } from './step-up/finish-step-up.ts'

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
