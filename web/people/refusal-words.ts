/** What people read if the service refuses a call. Texts for developers are never shown to them. */
import { visibleText } from '@deputize/protocol/visible-text'

interface RefusedCall {
  readonly code: string
  readonly reason: string
  readonly detail: string
}

/** Codes whose detail is written for the person who reads it. */
const FOR_PEOPLE = ['step_up_required', 'passkey_refused']
/** A reason among those whose detail tells an operator what to configure. */
const FOR_OPERATORS = ['no_domain']

const WORDS: Readonly<Record<string, string>> = {
  approval_decided: 'This was already decided, or it expired.',
  approval_unknown: 'This approval request no longer exists.',
  not_an_approver: 'Other people approve this. You can deny it.',
  face_required: 'To approve this, verify yourself with your face in the app of your organization.',
  rating_immutable: 'You already rated this. A rating is final.',
  token_unknown: 'This agent no longer exists.',
  token_not_live: 'This agent was stopped in the meantime.',
  record_unknown: 'This action no longer exists.',
  passkey_unknown: 'This passkey no longer exists.',
  channel_unknown: 'This no longer exists. Reload the page.',
  channel_unavailable: 'Messages can’t be sent there. Your organization has not set this up.',
  invalid_request: 'Check what you entered, and try again.',
  cross_site_request: 'This page is out of date. Reload it.',
  rate_limited: 'Too many attempts. Wait a minute, then try again.',
  not_enrolled: 'You are not enrolled.',
  already_enrolled: 'You are enrolled already.',
}

/** The field of a form that a request was refused for. */
const FIELDS: Readonly<Record<string, string>> = {
  '/url': 'Check the address. It begins with https:// and belongs to a service that can be reached.',
  '/address': 'Check the email address.',
  '/code': 'Check the code. It may have expired.',
  '/time_zone': 'Check the time zone. It looks like Europe/Berlin.',
  '/quiet_hours/time_zone': 'Check the time zone. It looks like Europe/Berlin.',
  '/quiet_hours/from': 'Check the times. They look like 22:00.',
  '/quiet_hours/to': 'Check the times. They look like 22:00.',
  '/word': 'Choose a word, a gesture or both.',
  '/contacts': 'Name at most five people to notify, one per line.',
}

export function refusalWords({ code, reason, detail }: RefusedCall, fields: readonly string[]): string {
  if (FOR_PEOPLE.includes(code) && !FOR_OPERATORS.includes(reason)) return visibleText(detail)
  const field = fields.find((one) => Object.hasOwn(FIELDS, one))
  if (field !== undefined) return FIELDS[field] ?? ''
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  return words ?? 'Something went wrong. Reload the page, or try again later.'
}
