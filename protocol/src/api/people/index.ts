import type { Operation } from '../operation.ts'
import { eraseHuman, exportHuman, getHuman, revokeHuman } from './humans.ts'
import { getMe, logOut } from './sessions.ts'

export const PEOPLE_OPERATIONS = {
  revokeHuman,
  getHuman,
  exportHuman,
  eraseHuman,
  getMe,
  logOut,
} as const satisfies Record<string, Operation>
