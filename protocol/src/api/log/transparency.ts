import { type Static, Type } from 'typebox'
import { about, PUBLIC, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import { AarId, Closed, Instant, PageOf, PageQuery } from '../shapes.ts'

/** Full and partial tiles never change: whoever has one need never ask again. */
const IMMUTABLE = 'max-age=31536000, immutable'
export const RECEIPT_TYP = 'receipt+jwt'

const Hash = Type.String({ description: 'SHA-256, in base64.' })
const Proof = Type.Array(Hash, { description: 'From the leaf up, as RFC 6962 orders it.' })
const Place = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const Bytes = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary' })

export const LogEntry = Closed({
  index: Type.Integer(),
  leaf: Type.String({ description: 'The very text that was hashed: RFC 8785 canonical JSON.' }),
  leaf_hash: Hash,
})
export type LogEntry = Static<typeof LogEntry>

export const getCheckpoint = operation({
  method: 'GET',
  path: '/checkpoint',
  tag: 'Log',
  summary: 'The newest checkpoint',
  description:
    'Size and root of the log as a signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses. Keep it: a later one must extend it.',
  cache_control: 'no-cache',
  media_type: 'text/plain; charset=utf-8',
  response: Type.String(),
  access: PUBLIC,
  errors: ['checkpoint_pending'],
})

const TileNumber = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'Number of the tile, and `.p/<W>` when it holds only W.',
})

export const getTile = operation({
  method: 'GET',
  path: '/tile/{level}/{index}',
  rest: 'index',
  tag: 'Log',
  summary: 'A tile of hashes of the log',
  description:
    'C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written in groups of three digits, such as `x001/x234/067`. A tile never changes.',
  params: Closed({
    level: Type.String({ minLength: 1, maxLength: 2, description: '0 to 63.' }),
    index: TileNumber,
  }),
  cache_control: `public, ${IMMUTABLE}`,
  media_type: 'application/octet-stream',
  response: Bytes,
  access: PUBLIC,
  errors: ['log_entry_unknown'],
})

export const getEntries = operation({
  method: 'GET',
  path: '/tile/entries/{index}',
  rest: 'index',
  tag: 'Log',
  summary: 'A tile of entries of the log',
  description:
    'C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after its length in two bytes. In keyed mode entries are for those who look after the whole deployment; hashes and proofs are for everybody.',
  params: Closed({ index: TileNumber }),
  cache_control: `private, ${IMMUTABLE}`,
  media_type: 'application/octet-stream',
  response: Bytes,
  access: { operator: 'deployment', auditor: 'deployment' },
  errors: ['log_entry_unknown'],
})

export const listLogEntries = operation({
  method: 'GET',
  path: '/v1/vat/log/entries',
  tag: 'Log',
  summary: 'Entries of the log in order',
  query: Closed({
    start: Type.Optional(
      Type.Integer({ ...Place, description: 'The first entry to answer; 0 when absent.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'How many entries; 100 when absent.' }),
    ),
  }),
  response: Closed({
    data: Type.Array(LogEntry, { description: 'Oldest first.' }),
    next_start: Type.Integer({ description: 'Pass as `start` to go on.' }),
    has_more: Type.Boolean(),
    size: Type.Integer({ description: 'How many entries the log has.' }),
  }),
  access: { operator: 'deployment', auditor: 'deployment' },
  errors: [],
})

export const getLogEntry = operation({
  method: 'GET',
  path: '/v1/vat/log/entries/{index}',
  tag: 'Log',
  summary: 'One entry of the log',
  params: Closed({ index: Type.Integer(Place) }),
  response: LogEntry,
  access: { operator: 'deployment', auditor: 'deployment' },
  errors: ['log_entry_unknown'],
})

export const getInclusionProof = operation({
  method: 'GET',
  path: '/v1/vat/log/proof/inclusion',
  tag: 'Log',
  summary: 'Prove that an entry is in the log',
  query: Closed({
    index: Type.Integer(Place),
    size: Type.Optional(
      Type.Integer({
        ...Place,
        description: 'Size of the tree to prove it in; that of the newest checkpoint when absent.',
      }),
    ),
  }),
  response: Closed({
    index: Type.Integer(),
    size: Type.Integer(),
    leaf_hash: Hash,
    root_hash: Hash,
    proof: Proof,
  }),
  access: PUBLIC,
  errors: ['log_entry_unknown', 'checkpoint_pending'],
})

export const getConsistencyProof = operation({
  method: 'GET',
  path: '/v1/vat/log/proof/consistency',
  tag: 'Log',
  summary: 'Prove that the log only grew',
  query: Closed({
    from: Type.Integer({ ...Place, description: 'Size of the older tree.' }),
    to: Type.Optional(
      Type.Integer({
        ...Place,
        description: 'Size of the newer tree; that of the newest checkpoint when absent.',
      }),
    ),
  }),
  response: Closed({
    from: Type.Integer(),
    to: Type.Integer(),
    from_root_hash: Hash,
    to_root_hash: Hash,
    proof: Proof,
  }),
  access: PUBLIC,
  errors: ['log_entry_unknown', 'checkpoint_pending'],
})

export const listCheckpoints = operation({
  method: 'GET',
  path: '/v1/vat/log/checkpoints',
  tag: 'Log',
  summary: 'Checkpoints that were signed',
  query: Closed(PageQuery),
  response: PageOf(
    Closed({
      size: Type.Integer(),
      root_hash: Hash,
      signed_at: Instant,
      note: Type.String({ description: 'The whole signed note.' }),
    }),
  ),
  access: PUBLIC,
  errors: [],
})

export const Receipt = Closed({
  aar_id: AarId,
  origin: Type.String({ description: 'The name of the log.' }),
  vkey: Type.String({ description: 'The key of the log. Compare it with the one you pinned.' }),
  entries: Type.Array(
    Closed({
      kind: Type.Union([Type.Literal('created'), Type.Literal('completed'), Type.Literal('rated')]),
      index: Type.Integer(),
      leaf: Type.String(),
      leaf_hash: Hash,
      proof: Proof,
    }),
  ),
  checkpoint: Type.String({ description: 'The signed note that the proofs lead to.' }),
  statement: Type.String({
    description:
      'A compact JWS of type `receipt+jwt`, in which the service itself states the same with the key that signs tokens.',
  }),
})
export type Receipt = Static<typeof Receipt>

export const getReceipt = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}/receipt',
  tag: 'Log',
  summary: 'A receipt for one action',
  description:
    'The entries of the log that tell of this action, each with a proof that it is in the log, and the signed checkpoint that the proofs lead to. Whoever keeps it can prove later that the action was recorded, completed and rated as it says. Waits up to a second for a checkpoint that covers the newest entry.',
  params: Closed({ id: Type.String({ minLength: 1, maxLength: 128 }) }),
  cache_control: 'no-store',
  response: Receipt,
  access: { ...about('record', '/params/id'), ...READERS },
  errors: ['record_unknown', 'checkpoint_pending'],
})
