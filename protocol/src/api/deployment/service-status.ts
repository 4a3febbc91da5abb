import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import { Closed, Count, described, Instant, OneOf, Text } from '../shapes.ts'

const Milliseconds = (description: string) => Type.Number({ minimum: 0, description })

const StatusMinute = Closed(
  {
    start: described(Instant, 'The minute.'),
    commits: Count('Commits of this node.'),
    commands: Count('Changes that they made durable.'),
    failures: Count('Commits that failed. Their changes were refused.'),
    p50_ms: Milliseconds('Half of the commits took at most this long, to about a quarter.'),
    p99_ms: Milliseconds('99 of 100 commits took at most this long, to about a quarter.'),
    most_waiting: Count('The most changes that waited for a commit.'),
    memory_bytes: Count('Memory of the process at the first commit of the minute.'),
  },
  { title: 'StatusMinute', description: 'What the commits of one minute took.' },
)

/** The texts about warnings in readiness and status. */
export const WARNINGS = {
  list: 'What an operator should change. The service works anyway.',
  restore_unnoticed:
    'An old copy of the data directory would bring revoked tokens back unnoticed: the checkpoint file is inside it, and there is no witness.',
} as const

/** Why a node cannot commit changes. */
export const UnreadyReasonShape = Closed({
  code: Text('Code of the error that callers get.'),
  detail: Text('What is wrong, in plain words.'),
})

export const getServiceStatus = operation({
  method: 'GET',
  path: '/v1/vat/status',
  tag: 'Service',
  summary: 'Get the status of a node',
  description:
    'For operators: whether the node is ready, how long commits take and how many changes are waiting, the log and its witnesses, memory and disk. Covers the node that responds, since it started. `GET /metrics` has the same for monitoring.',
  response: Closed({
    version: Text('Version of the service.'),
    access: OneOf(['open', 'keyed'], { description: 'Access mode.' }),
    started_at: described(Instant, 'When the node started.'),
    ready: Type.Boolean({ description: 'Whether the node can commit changes.' }),
    reasons: Type.Array(UnreadyReasonShape, { description: 'Why it cannot.' }),
    warnings: Type.Array(OneOf(['restore_unnoticed'], { description: WARNINGS.restore_unnoticed }), {
      description: WARNINGS.list,
    }),
    waiting: Count('Changes that wait for a commit now.'),
    log: Closed(
      {
        size: Count('Number of entries now.'),
        checkpoint_size: Type.Optional(Count('Size of the newest checkpoint.')),
        checkpoint_signed_at: Type.Optional(described(Instant, 'When the newest checkpoint was signed.')),
        verified_at: Type.Optional(
          described(Instant, 'When the whole log was last read back and compared with its hashes.'),
        ),
      },
      { description: 'The transparency log.' },
    ),
    witnesses: Closed(
      {
        configured: Count('Witnesses in the settings.'),
        failing: Count('Witnesses that did not cosign when this node last asked.'),
        quorum: Count('How many cosignatures a checkpoint needs before it is published.'),
      },
      { description: 'The witnesses of the log.' },
    ),
    last_backup_at: Type.Optional(
      described(Instant, 'When the last backup was taken, as far as the data directory says.'),
    ),
    memory_bytes: Count('Memory of the process.'),
    disk: Type.Optional(
      Closed(
        { free_bytes: Count('Free for the service.'), total_bytes: Count('In all.') },
        { description: 'The disk of the data directory. Absent when the data is in PostgreSQL.' },
      ),
    ),
    minutes: Type.Array(StatusMinute, {
      description: 'The last 60 minutes in which something was committed, oldest first.',
    }),
  }),
  access: { operator: 'any', auditor: 'any' },
  errors: [],
})
