/** The subjects that the table of contents groups guides under, in the order in which a reader needs them. */
import type { Guide } from './guide-library.ts'

const SUBJECTS: readonly (readonly [title: string, slugs: readonly string[]])[] = [
  ['Start', ['install', 'cli', 'dashboard', 'sdk-node', 'sdk-python', 'mcp', 'agent-frameworks']],
  ['What agents may do', ['delegate-limit-revoke', 'actions', 'vouching']],
  ['People', ['approve-from-your-phone', 'people', 'single-sign-on', 'identity-providers']],
  [
    'Verify who a person is',
    [
      'biometric-verification',
      'hosted-verification',
      'widget',
      'external-verification',
      'duress',
      'biometric-privacy',
      'verification-limits',
      'measure-verification',
      'your-own-nets',
    ],
  ],
  ['Proof', ['audit', 'check-us', 'witness']],
  ['Watch', ['alerts', 'webhooks', 'shared-signals', 'siem', 'opentelemetry']],
  [
    'Operate',
    [
      'production',
      'keyed-mode',
      'postgres',
      'high-availability',
      'capacity',
      'backup',
      'runbooks',
      'threats',
    ],
  ],
]

interface GuideSubject {
  readonly title: string
  readonly guides: readonly Guide[]
}

/** Lists every guide once. Guides that no subject names are under the last heading before the reference. */
export function guideSubjects(guides: readonly Guide[]): GuideSubject[] {
  const bySlug = new Map(guides.map((guide) => [guide.slug, guide]))
  const named = SUBJECTS.map(([title, slugs]) => ({
    title,
    guides: slugs.flatMap((slug) => bySlug.get(slug) ?? []),
  }))
  const known = new Set(SUBJECTS.flatMap(([, slugs]) => slugs))
  const others = guides.filter(({ kind, slug }) => kind === 'guide' && !known.has(slug))
  const reference = guides.filter(({ kind }) => kind === 'reference')
  return [
    ...named,
    { title: 'More', guides: inTitleOrder(others) },
    { title: 'Reference', guides: inTitleOrder(reference) },
  ].filter((subject) => subject.guides.length > 0)
}

function inTitleOrder(guides: readonly Guide[]): Guide[] {
  return guides.toSorted((one, other) => one.title.localeCompare(other.title, 'en'))
}
