import type { Reason } from '../shapes.ts'

/** A call of a tool that is not made, in the words of the service. */
export interface DeniedCall {
  readonly tool: string
  readonly action: string
  readonly resource: string
}

/** Why the rules said no, and how the question to the human ended, if one was waited for. */
export interface DenialFacts {
  readonly reasons: readonly string[]
  readonly denial_id?: string | undefined
  readonly approval_id?: string | undefined
  readonly approval_state?: 'pending' | 'approved' | 'denied' | 'expired' | undefined
}

const ADVICE: Readonly<Record<Reason, string>> = {
  token_revoked: 'The token was revoked. Only a new one from its human helps.',
  token_suspended: 'The token is suspended until its human resumes it.',
  agent_suspended: 'The agent is suspended until somebody resumes it.',
  token_expired: 'The token has expired. Ask for a new one.',
  token_not_yet_valid: 'The token is not valid yet.',
  action_not_in_scope: 'The token does not allow this action. Ask its human for a token that does.',
  resource_not_in_scope: 'The token does not cover this resource. Ask its human for a token that does.',
  outside_hours: 'The token is good at certain hours only. Try again then.',
  budget_exceeded: 'The budget is used up. Ask its human for a larger one.',
  action_limit: 'The token allows no more actions.',
  rate_limit: 'Too many actions in a short time. Wait, then try again.',
  reputation_too_low: 'The reputation of the agent is too low for this.',
  approval_denied: 'A human said no. Do not try the same again.',
  approval_required: 'A human has to approve it first.',
}

/** Newer services may have reasons that nobody here has advice for. */
const adviceFor = new Map<string, string>(Object.entries(ADVICE))

/** What a model reads when the rules say no: why, and what would help. */
export function deniedWords(
  call: DeniedCall,
  { reasons, denial_id, approval_id, approval_state }: DenialFacts,
): string {
  return words(call, [
    `Reasons: ${reasons.join(', ')}.`,
    ...reasons.map((reason) => adviceFor.get(reason) ?? ''),
    ...(approval_state === 'expired' ? ['Nobody decided in time.'] : []),
    ...(approval_id === undefined ? [] : [`The question to the human is ${approval_id}.`]),
    ...(denial_id === undefined ? [] : [`This denial is kept as ${denial_id}.`]),
  ])
}

/** The service refused to judge at all: the token is unknown, the credential does not fit, the rules are wrong. */
export function refusedWords(call: DeniedCall, code: string, message: string): string {
  return words(call, [
    `The authority service refused: ${message} (${code})`,
    'Whoever runs the guard can mend this; trying again cannot.',
  ])
}

export function unavailableWords(call: DeniedCall): string {
  return words(call, [
    'The authority service cannot be reached, and nothing is done without asking it. Try again later.',
  ])
}

function words({ tool, action, resource }: DeniedCall, lines: readonly string[]): string {
  return [`Not done: ${named(tool)} (${named(action)} on ${named(resource)}) is not allowed.`, ...lines]
    .filter((line) => line !== '')
    .join('\n')
}

/** The longest resource that there is. */
const MAX_NAME_LENGTH = 200

/**
 * A name as it stands in a sentence. Nobody has judged it yet where the service did not answer, and it may be made of what
 * the model has read somewhere: it must not look like words of ours. Rules of others may also answer what is no text.
 */
function named(text: unknown): string {
  return String(text)
    .slice(0, MAX_NAME_LENGTH)
    .replaceAll(/[\p{C}\p{Z}]+/gu, '_')
}
