import { beginPasskey } from './begin-passkey.ts'
import { beginPasskeyLogin } from './begin-passkey-login.ts'
import { beginStepUp } from './begin-step-up.ts'
import { deleteBiometrics } from './delete-biometrics.ts'
import { deletePasskey } from './delete-passkey.ts'
import { exportBiometrics } from './export-biometrics.ts'
import { finishPasskey } from './finish-passkey.ts'
import { finishPasskeyLogin } from './finish-passkey-login.ts'
import { finishStepUp } from './finish-step-up.ts'
import { getBiometrics } from './get-biometrics.ts'
import { getConsent } from './get-consent.ts'
import { getLogin } from './get-login.ts'
import { listPasskeys } from './list-passkeys.ts'
import { listProviders } from './list-providers.ts'
import { startLogin } from './start-login.ts'

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
  beginStepUp,
  finishStepUp,
  getConsent,
  getBiometrics,
  exportBiometrics,
  deleteBiometrics,
}
