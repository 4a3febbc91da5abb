import { acceptTokens } from './accept-tokens.ts'
import { endSignIn } from './end-sign-in.ts'
import { eraseHuman } from './erase-human.ts'
import { exportHuman } from './export-human.ts'
import { getHuman } from './get-human.ts'
import { getMe } from './get-me.ts'
import { listHumans } from './list-humans.ts'
import { listSignIns } from './list-sign-ins.ts'
import { logOut } from './log-out.ts'
import { refuseTokens } from './refuse-tokens.ts'
import { revokeHuman } from './revoke-human.ts'
import { signInWithKey } from './sign-in-with-key.ts'

export const PEOPLE_HANDLERS = {
  listHumans,
  getHuman,
  exportHuman,
  eraseHuman,
  revokeHuman,
  refuseTokens,
  acceptTokens,
  getMe,
  signInWithKey,
  listSignIns,
  endSignIn,
  logOut,
}
