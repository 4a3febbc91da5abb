import type { Static } from 'typebox'
import { about, PUBLIC, READERS } from '../access.ts'
import { operation } from '../operation.ts'
import { Type } from '../schema-type.ts'
import {
  AarId,
  Closed,
  Count,
  described,
  HasMore,
  Instant,
  LogIndex,
  OneOf,
  PageOf,
  PageQuery,
  Text,
} from '../shapes.ts'

/** Why a witness did not cosign. */
export const WITNESS_TROUBLES = [
  'unreachable',
  'refused',
  'bad_answer',
  'bad_cosignature',
  'forgot',
  'ahead',
  'contradicted',
] as const
export type WitnessTrouble = (typeof WITNESS_TROUBLES)[number]

/** Full and partial tiles never change, so a client can cache them forever. */
const IMMUTABLE = 'max-age=31536000, immutable'
export const RECEIPT_TYP = 'receipt+jwt'

const Hash = Type.String({ title: 'LogHash', description: 'SHA-256 hash, in base64.' })
const LeafHash = described(Hash, 'RFC 6962 hash of the leaf, in base64.')
const ProofHashes = Type.Array(Hash, { description: 'Hashes from the leaf up, in the order of RFC 6962.' })
const LeafText = Text(
  'The hashed text: RFC 8785 canonical JSON. Its `salt` has 128 random bits, so that the public hash cannot be used to confirm a guess.',
)
const Bytes = Type.Unsafe<Uint8Array>({ type: 'string', format: 'binary', description: 'The tile.' })

function Position(description: string) {
  return Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
}

const Index = described(LogIndex, 'Index of the entry, from 0 on.')

export const LogEntry = Closed(
  { index: Index, leaf: LeafText, leaf_hash: LeafHash },
  { title: 'LogEntry', description: 'One entry of the log.' },
)
export type LogEntry = Static<typeof LogEntry>

export const getCheckpoint = operation({
  method: 'GET',
  path: '/checkpoint',
  tag: 'Log',
  summary: 'Get the newest checkpoint',
  description:
    'Size and root hash of the log as a signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses. Keep it: every later checkpoint must extend it.',
  cache_control: 'no-cache',
  media_type: 'text/plain; charset=utf-8',
  response: Text('The signed note.'),
  access: PUBLIC,
  errors: ['checkpoint_pending'],
})

const TileNumber = Text('Number of the tile, followed by `.p/<W>` for a partial tile of width W.', {
  minLength: 1,
  maxLength: 40,
  examples: ['000.p/5'],
})

export const getTile = operation({
  method: 'GET',
  path: '/tile/{level}/{index}',
  rest: 'index',
  tag: 'Log',
  summary: 'Get a tile of hashes',
  description:
    'C2SP tlog-tiles: `/tile/<L>/<N>[.p/<W>]` holds up to 256 hashes. `<N>` is written in groups of three digits, such as `x001/x234/067`. A tile never changes.',
  params: Closed({
    level: Text('Level of the tile, 0 to 63.', { minLength: 1, maxLength: 2, examples: ['0'] }),
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
  summary: 'Get a tile of entries',
  description:
    'C2SP tlog-tiles: `/tile/entries/<N>[.p/<W>]` holds up to 256 entries, each after its length in two bytes. In keyed mode only operators and auditors of the deployment can read entries; hashes and proofs are public.',
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
  summary: 'List log entries',
  query: Closed({
    start: Type.Optional(Position('Index of the first entry to return. 0 by default.')),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'Maximum number of entries to return. 100 by default.',
      }),
    ),
  }),
  response: Closed({
    data: Type.Array(LogEntry, { description: 'The entries, oldest first.' }),
    next_start: Type.Integer({ description: 'Pass as `start` to get the next entries.' }),
    has_more: HasMore,
    size: Type.Integer({ description: 'Number of entries in the log.' }),
  }),
  access: { operator: 'deployment', auditor: 'deployment' },
  errors: [],
})

export const getLogEntry = operation({
  method: 'GET',
  path: '/v1/vat/log/entries/{index}',
  tag: 'Log',
  summary: 'Get a log entry',
  params: Closed({ index: Position('Index of the entry, from 0 on.') }),
  response: LogEntry,
  access: { operator: 'deployment', auditor: 'deployment' },
  errors: ['log_entry_unknown'],
})

export const getInclusionProof = operation({
  method: 'GET',
  path: '/v1/vat/log/proof/inclusion',
  tag: 'Log',
  summary: 'Prove that the log contains an entry',
  query: Closed({
    index: Position('Index of the entry.'),
    size: Type.Optional(
      Position('Size of the tree to prove it in. The size of the newest checkpoint by default.'),
    ),
  }),
  response: Closed({
    index: Index,
    size: Type.Integer({ description: 'Size of the tree.' }),
    leaf_hash: LeafHash,
    root_hash: described(Hash, 'Root hash of the tree, in base64.'),
    proof: ProofHashes,
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
    from: Position('Size of the older tree. At most `to`.'),
    to: Type.Optional(Position('Size of the newer tree. The size of the newest checkpoint by default.')),
  }),
  response: Closed({
    from: Type.Integer({ description: 'Size of the older tree.' }),
    to: Type.Integer({ description: 'Size of the newer tree.' }),
    from_root_hash: described(Hash, 'Root hash of the older tree, in base64.'),
    to_root_hash: described(Hash, 'Root hash of the newer tree, in base64.'),
    proof: ProofHashes,
  }),
  access: PUBLIC,
  errors: ['log_entry_unknown', 'checkpoint_pending'],
})

export const listCheckpoints = operation({
  method: 'GET',
  path: '/v1/vat/log/checkpoints',
  tag: 'Log',
  summary: 'List signed checkpoints',
  query: Closed(PageQuery),
  response: PageOf(
    Closed({
      size: Type.Integer({ description: 'Size of the log.' }),
      root_hash: described(Hash, 'Root hash of the log, in base64.'),
      signed_at: described(Instant, 'When the checkpoint was signed.'),
      note: Text('The signed note.'),
    }),
  ),
  access: PUBLIC,
  errors: [],
})

const WitnessState = OneOf(['ok', 'behind', 'failing', 'pending'], {
  title: 'WitnessState',
  description:
    'ok: it cosigned the newest checkpoint. behind: it cosigned an older one. failing: its last attempt failed. pending: it has not been asked yet.',
})

export const WitnessStatus = Closed(
  {
    name: Text('Name of the witness.'),
    vkey: Text('Verifier key of the witness.'),
    url: Text('Where the service asks it.'),
    state: WitnessState,
    explanation: Text('The state in words.'),
    cosigned_size: Type.Optional(Type.Integer({ description: 'Size of the log that it last cosigned.' })),
    cosigned_at: Type.Optional(described(Instant, 'When it last cosigned, by its own clock.')),
    failing_since: Type.Optional(described(Instant, 'When the first of its failures in a row was.')),
    failure: Type.Optional(
      OneOf(WITNESS_TROUBLES, {
        description:
          'Why it last did not cosign. forgot, ahead and contradicted mean that it remembers another log than this one.',
      }),
    ),
  },
  { title: 'WitnessStatus', description: 'A witness of the log and how it is doing.' },
)
export type WitnessStatus = Static<typeof WitnessStatus>

export const listWitnesses = operation({
  method: 'GET',
  path: '/v1/vat/log/witnesses',
  tag: 'Log',
  summary: 'List the witnesses of the log',
  description:
    'Witnesses cosign checkpoints, so that the log cannot show different histories to different people. `failing_since` and `failure` are what this node has seen since it started.',
  response: Closed({
    data: Type.Array(WitnessStatus, { description: 'The witnesses, in the order of the settings.' }),
    quorum: Count('How many cosignatures a checkpoint needs before it is published.'),
    cosigned: Count('How many witnesses cosigned the newest checkpoint.'),
    checkpoint_size: Type.Optional(Type.Integer({ description: 'Size of the newest checkpoint.' })),
    checkpoint_signed_at: Type.Optional(described(Instant, 'When the newest checkpoint was signed.')),
    log_size: Type.Integer({ description: 'Number of entries in the log now.' }),
  }),
  access: { operator: 'any', developer: 'any', auditor: 'any' },
  errors: [],
})

export const Receipt = Closed(
  {
    aar_id: AarId,
    origin: Text('Name of the log.'),
    vkey: Text('Verifier key of the log. Compare it with the key that you pinned.'),
    entries: Type.Array(
      Closed({
        kind: OneOf(['created', 'completed', 'rated'], { description: 'The event that the entry records.' }),
        index: Index,
        leaf: LeafText,
        leaf_hash: LeafHash,
        proof: ProofHashes,
      }),
      { description: 'The log entries of the action, oldest first.' },
    ),
    checkpoint: Text('The signed note that the proofs lead to.'),
    statement: Text(
      'A compact JWS of type `receipt+jwt` with the same content, signed with the key that signs tokens.',
    ),
  },
  { title: 'Receipt', description: 'Proof that an action is in the log.' },
)
export type Receipt = Static<typeof Receipt>

export const getReceipt = operation({
  method: 'GET',
  path: '/v1/vat/aar/{id}/receipt',
  tag: 'Log',
  summary: 'Get a receipt for an action',
  description:
    'Returns the log entries of the action, a proof of inclusion for each, and the signed checkpoint that the proofs lead to. With the receipt you can prove later that the action was recorded, completed and rated as it says. The call waits up to a second for a checkpoint that covers the newest entry.',
  params: Closed({ id: AarId }),
  cache_control: 'no-store',
  response: Receipt,
  access: { ...about('record', '/params/id'), ...READERS },
  errors: ['record_unknown', 'checkpoint_pending'],
})
