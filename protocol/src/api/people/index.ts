import type { Operation } from '../operation.ts'
import { acceptTokens, eraseHuman, exportHuman, getHuman, refuseTokens, revokeHuman } from './humans.ts'
import { getMe, logOut } from './sessions.ts'

export const PEOPLE_OPERATIONS = {
  revokeHuman,
  refuseTokens,
  acceptTokens,
  getHuman,
  exportHuman,
  eraseHuman,
  getMe,
  logOut,
} as const satisfies Record<string, Operation>
