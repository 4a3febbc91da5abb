import { randomBytes } from 'node:crypto'
import type { TestApp } from '@deputize/testing/a-test-app.ts'
import { LOCAL_CALLER } from '../src/access/caller.ts'
import type { IssueOutcome } from '../src/clerk/judges/issue.ts'
import {
  biometricId,
  type EnrolledPerson,
  type NewTemplate,
  storeTemplate,
} from '../src/operations/identity/biometric-entries.ts'
import { mintToken } from '../src/operations/minting/minting.ts'
import { rootClaims } from '../src/operations/minting/root-claims.ts'
import { acceptedConsent } from '../src/operations/verification/biometric-sessions/biometric-consent.ts'

const FACE_BYTES = 512
const VOICE_BYTES = 768

/** A template like the engine's, of a person who doesn't exist. */
export function aTemplate({ context }: Pick<TestApp, 'context'>): NewTemplate {
  return {
    template: {
      version: 1,
      engine_version: 'test',
      face: randomBytes(FACE_BYTES).toString('base64'),
      voice: { ecapa: randomBytes(VOICE_BYTES).toString('base64') },
    },
    consent: acceptedConsent({ version: context.verification.consent.version }, context),
  }
}

/** Enrolls a person, as a passed capture does. */
export async function anEnrolment(service: Pick<TestApp, 'context'>, person: EnrolledPerson) {
  return storeTemplate(person, aTemplate(service), service.context)
}

function aVerification(verified_at_ms: number) {
  const verified_at = Math.floor(verified_at_ms / 1000)
  return { id: 'vrf_test', methods: ['face_liveness'], verified_at, provider: 'builtin' }
}

/** Issues a token at L3, as a passed capture does. */
export async function anL3Token(
  { context }: Pick<TestApp, 'context'>,
  { tenant_id, human_ref }: EnrolledPerson,
  changes: Record<string, unknown> = {},
  verified_at_ms: number = context.clock(),
): Promise<IssueOutcome> {
  const body = {
    agent_id: 'calendar-bot',
    resources: ['calendar:events'],
    actions: ['read', 'delegate'],
    ...changes,
  }
  const claims = rootClaims(
    body,
    {
      tenant_id,
      human_ref,
      assurance_level: 'L3',
      email_verified: false,
      proof: { svc_verification: aVerification(verified_at_ms) },
    },
    context,
  )
  const minted = await mintToken(claims, LOCAL_CALLER, context)
  const template_id = biometricId({ tenant_id, human_ref })
  const { outcome } = await context.clerk.submit({
    kind: 'issue',
    purpose: undefined,
    ...minted,
    template_id,
  })
  return outcome as IssueOutcome // the outcome type of this command's judge
}
