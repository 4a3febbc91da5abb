import type { Operation } from '../operation.ts'
import {
  addStreamSubject,
  createStream,
  deleteStream,
  getSsfConfiguration,
  getStreamStatus,
  pollStream,
  readStreams,
  removeStreamSubject,
  updateStream,
  updateStreamStatus,
  verifyStream,
} from './streams.ts'

export const SIGNAL_OPERATIONS = {
  getSsfConfiguration,
  createStream,
  readStreams,
  updateStream,
  deleteStream,
  getStreamStatus,
  updateStreamStatus,
  addStreamSubject,
  removeStreamSubject,
  verifyStream,
  pollStream,
} as const satisfies Record<string, Operation>
