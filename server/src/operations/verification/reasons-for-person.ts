import type { CaptureLocale } from '../../verification/capture-prompts.ts'
import {
  GERMAN_CAPTURE_REASONS,
  GERMAN_EXTERNAL_REASONS,
  germanOf,
} from '../../verification/german-reasons.ts'
import { EXTERNAL_REASON_TEXTS } from '../external/external-reason-texts.ts'

const GERMAN: ReadonlyMap<string, string> = new Map([
  ...GERMAN_CAPTURE_REASONS,
  ...germanOf(EXTERNAL_REASON_TEXTS, GERMAN_EXTERNAL_REASONS),
])

/** Why a capture did not pass, in the language of the person who reads it on the device. */
export function reasonsForPerson(
  reasons: readonly string[],
  locale: CaptureLocale | undefined,
): readonly string[] {
  return locale === 'de' ? reasons.map((reason) => GERMAN.get(reason) ?? reason) : reasons
}
