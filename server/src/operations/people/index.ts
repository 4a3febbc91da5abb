import { acceptTokens } from './accept-tokens.ts'
import { eraseHuman } from './erase-human.ts'
import { exportHuman } from './export-human.ts'
import { getHuman } from './get-human.ts'
import { getMe } from './get-me.ts'
import { logOut } from './log-out.ts'
import { refuseTokens } from './refuse-tokens.ts'
import { revokeHuman } from './revoke-human.ts'

export const PEOPLE_HANDLERS = {
  getHuman,
  exportHuman,
  eraseHuman,
  revokeHuman,
  refuseTokens,
  acceptTokens,
  getMe,
  logOut,
}
