/** What a deployment has, from which the steps that it still needs follow. */
export interface SetUpFacts {
  readonly access: 'open' | 'keyed'
  /** Each fact is undefined while it is unknown, or if the caller may not know it. */
  readonly has_token: boolean | undefined
  readonly has_action: boolean | undefined
  readonly has_own_passkey: boolean | undefined
  readonly has_developer_key: boolean | undefined
  readonly has_auditor: boolean | undefined
  readonly has_provider: boolean | undefined
  readonly has_person_passkey: boolean | undefined
  readonly has_channel: boolean | undefined
  readonly has_witness: boolean | undefined
  readonly has_backup: boolean
}

export interface SetUpStep {
  readonly id: keyof SetUpFacts
  readonly title: string
  readonly how: string
  readonly isDone: boolean
  /** Where to do it in the dashboard. */
  readonly href?: string
}

type StepWords = Omit<SetUpStep, 'id' | 'isDone'> & { readonly isKeyedOnly?: boolean }

const STEPS: Readonly<Record<Exclude<keyof SetUpFacts, 'access'>, StepWords>> = {
  has_own_passkey: {
    title: 'A passkey for you',
    how: 'Sign in to the dashboard with it, and keep your API key in a safe place.',
    href: '/app/access?tab=passkeys',
    isKeyedOnly: true,
  },
  has_developer_key: {
    title: 'A key for your program',
    how: 'Programs that issue tokens use a developer key.',
    href: '/app/access',
    isKeyedOnly: true,
  },
  has_token: {
    title: 'The first token',
    how: 'It says what an agent may do, and within which limits.',
    href: '/app/tokens',
  },
  has_action: {
    title: 'The first action',
    how: 'It appears here as soon as an agent records one.',
    href: '/app/live',
  },
  has_provider: {
    title: 'Sign-in for people',
    how: 'Add your sign-in provider to the file in DEPUTY_OIDC_FILE.',
    isKeyedOnly: true,
  },
  has_person_passkey: {
    title: 'A person with a passkey',
    how: 'People sign in at /me and add one there. They approve requests with it.',
    href: '/app/people',
    isKeyedOnly: true,
  },
  has_channel: {
    title: 'A channel for approval requests',
    how: 'A webhook or a tenant channel notifies people when an agent needs an approval.',
    href: '/app/access?tab=webhooks',
  },
  has_auditor: {
    title: 'A key for an auditor',
    how: 'Auditors read everything and change nothing.',
    href: '/app/access',
    isKeyedOnly: true,
  },
  has_witness: {
    title: 'A witness for the log',
    how: 'Another party cosigns the log, so that a rewritten log is noticed. List witnesses in DEPUTY_WITNESSES.',
    href: '/app/log',
  },
  has_backup: {
    title: 'Backups',
    how: 'Schedule deputy backup, restore one backup as a test, then tick this.',
  },
}

/** The steps whose state this caller can know, in the order to take them. */
export function setUpSteps(facts: SetUpFacts): SetUpStep[] {
  // The keys of an object literal.
  const ids = Object.keys(STEPS) as (keyof typeof STEPS)[]
  return ids.flatMap((id) => {
    const { isKeyedOnly = false, ...words } = STEPS[id]
    const isDone = facts[id]
    return isDone === undefined || (isKeyedOnly && facts.access === 'open') ? [] : [{ id, ...words, isDone }]
  })
}
