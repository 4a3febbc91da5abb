import { addStreamSubject } from './add-stream-subject.ts'
import { createStream } from './create-stream.ts'
import { deleteStream } from './delete-stream.ts'
import { getSsfConfiguration } from './get-ssf-configuration.ts'
import { getStreamStatus } from './get-stream-status.ts'
import { pollStream } from './poll-stream.ts'
import { readStreams } from './read-streams.ts'
import { removeStreamSubject } from './remove-stream-subject.ts'
import { updateStream } from './update-stream.ts'
import { updateStreamStatus } from './update-stream-status.ts'
import { verifyStream } from './verify-stream.ts'

export const SIGNAL_HANDLERS = {
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
}
