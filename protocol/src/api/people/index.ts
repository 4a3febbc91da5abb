import type { Operation } from '../operation.ts'
import {
  acceptTokens,
  eraseHuman,
  exportHuman,
  getHuman,
  listHumans,
  refuseTokens,
  revokeHuman,
} from './humans.ts'
import { endSignIn, getMe, listSignIns, logOut, signInWithKey } from './sessions.ts'

export const PEOPLE_OPERATIONS = {
  revokeHuman,
  refuseTokens,
  acceptTokens,
  listHumans,
  getHuman,
  exportHuman,
  eraseHuman,
  getMe,
  signInWithKey,
  listSignIns,
  endSignIn,
  logOut,
} as const satisfies Record<string, Operation>
