import { announceStep, captureStep } from './capture-step.ts'
import { fetchChallenge, finishSession } from './finish-session.ts'
import { awaitDevices, guidePerson, openMedia } from './guide-person.ts'
import { awaitProvider, cancelCapture, describeSession, openSession } from './open-session.ts'
import { sendRecording } from './send-recording.ts'
import type { Work } from './work.ts'

/** Does the work of the screen, until that leads to another screen. Screens that wait for the person have no work. */
export async function workOf(work: Work): Promise<void> {
  const { screen } = work.state
  switch (screen.name) {
    case 'loading':
      return describeSession(work)
    case 'devices':
      return screen.problem === undefined ? openMedia(work) : awaitDevices(work)
    case 'framing':
      return guidePerson(work)
    case 'opening':
      return openSession(work)
    case 'prepare':
      return announceStep(screen.step, work)
    case 'recording':
      return captureStep(screen.step, work)
    case 'sending':
      return sendRecording(screen.step, work)
    case 'provider':
      return awaitProvider(work)
    case 'passkey':
      return fetchChallenge(work)
    case 'finishing':
      return finishSession(work)
    case 'cancelled':
      return cancelCapture(work)
    default:
      return undefined
  }
}
