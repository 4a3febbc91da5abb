import type { Caller } from '../../../access/caller.ts'
import type { CaptureLocale } from '../../../verification/capture-prompts.ts'
import {
  GERMAN_CAPTURE_REASONS,
  GERMAN_EXTERNAL_REASONS,
  germanOf,
} from '../../../verification/german-reasons.ts'
import { EXTERNAL_REASON_TEXTS } from '../../external/external-reason-texts.ts'
import { type VerificationDocument, verificationView } from '../../views/verification-view.ts'

const GERMAN: ReadonlyMap<string, string> = new Map([
  ...GERMAN_CAPTURE_REASONS,
  ...germanOf(EXTERNAL_REASON_TEXTS, GERMAN_EXTERNAL_REASONS),
])

/** Builds the answer to the capturing device, with the reasons in the session's language. */
export function answerForPerson(
  document: VerificationDocument,
  role: Caller['role'],
  locale: CaptureLocale | undefined,
) {
  const view = verificationView(document, role)
  const reasons = locale === 'de' ? view.reasons.map((reason) => GERMAN.get(reason) ?? reason) : view.reasons
  return { ...view, reasons, attempts_left: document.attempts_left }
}
