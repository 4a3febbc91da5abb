import {
  type AnswerOf,
  AuthorityError,
  canonicalJson,
  DEFAULT_TENANT,
  invalidField,
  type OPERATIONS,
} from '@deputize/protocol'
import { firstOperator } from '../access/access-control.ts'
import { newApiKey, secretHash } from '../access/api-key.ts'
import type { ApiKeyDocument } from '../access/key-holders.ts'
import type { RegisterOutcome } from '../clerk/judges/register.ts'
import { isoInstant } from '../domain/time.ts'
import type { KeptEntry } from '../store/port.ts'
import { carryOut, type Handler, type OperationContext, type Submitted } from './operation-context.ts'
import { pageAnswer, pageRequest } from './pages.ts'

type KeyView = AnswerOf<(typeof OPERATIONS)['listKeys']>['data'][number]
type NewKeyView = AnswerOf<(typeof OPERATIONS)['createKey']>

const DEFAULT_LIFETIME_S = 90 * 24 * 3600
const DEFAULT_OVERLAP_S = 24 * 3600

export const createKey: Handler<'createKey'> = async (call, context) => {
  const { name, role, tenant_id = call.caller.tenant_id, audience, expires_in } = call.body
  if ((await context.accessControl.tenants.find(tenant_id)) === undefined)
    throw new AuthorityError('tenant_unknown')
  if (role === 'resource_server' && audience === undefined)
    throw invalidField(
      '/audience',
      'is needed for a resource server: the aud of tokens that are meant for it',
    )
  if (role !== 'resource_server' && audience !== undefined)
    throw invalidField('/audience', 'means something for resource servers only')
  return make(
    tenant_id,
    { name, role, ...(audience !== undefined && { audience }) },
    expires_in,
    call,
    context,
  )
}

export const listKeys: Handler<'listKeys'> = async ({ query, caller }, { reader }) => {
  const { tenant_id = caller.tenant_id } = query
  return pageAnswer(await reader.registry.list('api_key', { tenant_id }, pageRequest(query)), keyView)
}

export const deleteKey: Handler<'deleteKey'> = async (call, context) => {
  const entry = await knownKey(call.params.key_id, context)
  await change(entry, undefined, call, context)
  return { deleted: true, key_id: entry.id }
}

/** The new key comes first: if the old one cannot be shortened any more, both work, and nobody is locked out. */
export const rotateKey: Handler<'rotateKey'> = async (call, context) => {
  const entry = await knownKey(call.params.key_id, context)
  const known: ApiKeyDocument = JSON.parse(entry.document)
  const { name, role, audience } = known
  const { overlap_s = DEFAULT_OVERLAP_S, expires_in } = call.body
  const made = await make(
    entry.tenant_id,
    { name, role, ...(audience !== undefined && { audience }) },
    expires_in,
    call,
    context,
  )
  const end_ms = Math.min(Date.parse(known.expires_at), context.clock() + overlap_s * 1000)
  await change(
    entry,
    { ...known, expires_at: isoInstant(end_ms) },
    { ...call, idempotency_key: undefined },
    context,
  )
  return made
}

/** The first operator of a deployment, made by whoever can read what the service prints when it starts. */
export const setUp: Handler<'setUp'> = async (call, context) => {
  const { setup_secret, name = 'first operator' } = call.body
  const { setup } = context.accessControl
  if (setup === undefined || (await operatorIn(context)) !== undefined)
    throw new AuthorityError('already_set_up')
  if (!setup.matches(setup_secret))
    throw new AuthorityError(
      'credential_invalid',
      'This is not the set-up secret that the service printed.',
      {
        reason: 'wrong_secret',
      },
    )
  if (!setup.use()) throw new AuthorityError('already_set_up')
  try {
    return await makeFirst(name, call, context)
  } catch (error) {
    setup.giveBack()
    throw error
  }
}

/** Each node has a secret of its own. Of keys that several made at the same time, the first in the log stays. */
async function makeFirst(name: string, call: Submitted, context: OperationContext): Promise<NewKeyView> {
  const made = await make(DEFAULT_TENANT, { name, role: 'operator' }, undefined, call, context)
  if ((await operatorIn(context)) === made.key_id) return made
  const once = { ...call, idempotency_key: undefined }
  await change(await knownKey(made.key_id, context), undefined, once, context)
  throw new AuthorityError('already_set_up')
}

function operatorIn({ reader, clock }: OperationContext): Promise<string | undefined> {
  return firstOperator(reader.registry, clock())
}

async function knownKey(key_id: string, { reader }: OperationContext): Promise<KeptEntry> {
  const entry = await reader.registry.entry('api_key', key_id)
  if (entry?.document === undefined) throw new AuthorityError('key_unknown')
  return { ...entry, document: entry.document }
}

type Described = Pick<ApiKeyDocument, 'name' | 'role' | 'audience'>

async function make(
  tenant_id: string,
  described: Described,
  expires_in: number | undefined,
  call: Submitted,
  context: OperationContext,
): Promise<NewKeyView> {
  const { key_id: id, secret, text } = newApiKey()
  const now_ms = context.clock()
  const document: ApiKeyDocument = {
    ...described,
    secret_hash: secretHash(context.keys.api_key_pepper, secret),
    created_at: isoInstant(now_ms),
    expires_at: isoInstant(now_ms + (expires_in ?? DEFAULT_LIFETIME_S) * 1000),
    created_by: call.caller.name,
  }
  const entry = { kind: 'api_key', id, tenant_id, owner: undefined } as const
  // A key is shown once, so a repeated request makes another one rather than show the first again.
  const once = { ...call, idempotency_key: undefined }
  const log_index = await register({ ...entry, document: canonicalJson(document) }, 'absent', once, context)
  return { ...keyView({ ...entry, document: canonicalJson(document), log_index }), key: text }
}

async function change(
  entry: KeptEntry,
  document: ApiKeyDocument | undefined,
  call: Submitted,
  context: OperationContext,
): Promise<void> {
  const kept = document === undefined ? undefined : canonicalJson(document)
  await register({ ...entry, document: kept }, entry.log_index, call, context)
  context.accessControl.forgetKey(entry.id)
}

async function register(
  {
    id,
    tenant_id,
    document,
  }: Pick<KeptEntry, 'id' | 'tenant_id'> & { readonly document: string | undefined },
  expects: number | 'absent',
  call: Submitted,
  context: OperationContext,
): Promise<number> {
  const { log_index = 0 } = await carryOut<RegisterOutcome>(
    { kind: 'register', entry_kind: 'api_key', id, tenant_id, owner: undefined, document, expects },
    call,
    context,
  )
  return log_index
}

function keyView({ id, tenant_id, document, log_index }: KeptEntry): KeyView {
  const { name, role, audience, created_at, expires_at, created_by }: ApiKeyDocument = JSON.parse(document)
  return {
    key_id: id,
    tenant_id,
    name,
    role,
    ...(audience !== undefined && { audience }),
    created_at,
    expires_at,
    created_by,
    log_index,
  }
}
