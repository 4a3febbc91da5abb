import assert from 'node:assert/strict'
import { Ajv } from 'ajv'
import { OCSF_VERSION, type OcsfRow } from '../protocol/src/index.ts'

/**
 * What OCSF 1.8 requires of the classes that the service writes: required attributes, the enums of activities, and the
 * constraints that one of several attributes is present.
 */
const ENTITY = { anyOf: [{ required: ['name'] }, { required: ['uid'] }] }
const USER = {
  type: 'object',
  anyOf: [{ required: ['account'] }, { required: ['name'] }, { required: ['uid'] }],
  properties: { uid: { type: 'string' }, type_id: { type: 'integer' } },
}
const BASE = {
  type: 'object',
  required: ['activity_id', 'category_uid', 'class_uid', 'metadata', 'severity_id', 'time', 'type_uid'],
  properties: {
    time: { type: 'integer' },
    severity_id: { enum: [0, 1, 2, 3, 4, 5, 6, 99] },
    status_id: { enum: [0, 1, 2, 99] },
    metadata: {
      type: 'object',
      required: ['product', 'version'],
      properties: { product: { type: 'object', ...ENTITY }, version: { const: OCSF_VERSION } },
    },
    actor: {
      type: 'object',
      anyOf: ['process', 'user', 'iam_role', 'invoked_by', 'session', 'app_name', 'app_uid'].map((one) => ({
        required: [one],
      })),
      properties: { user: USER },
    },
  },
}
const CLASSES: Readonly<Record<number, { readonly activities: readonly number[]; readonly schema: object }>> =
  {
    3002: {
      activities: [1, 2, 3, 4, 5, 6, 7],
      schema: {
        required: ['user'],
        anyOf: [{ required: ['service'] }, { required: ['dst_endpoint'] }],
        properties: { user: USER },
      },
    },
    3003: {
      activities: [1, 2, 3],
      schema: {
        required: ['user'],
        anyOf: [{ required: ['privileges'] }, { required: ['groups'] }, { required: ['iam_roles'] }],
        properties: { user: USER, privileges: { type: 'array', minItems: 1, items: { type: 'string' } } },
      },
    },
    3004: {
      activities: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
      schema: { required: ['entity'], properties: { entity: { type: 'object', ...ENTITY } } },
    },
    6003: {
      activities: [1, 2, 3, 4],
      schema: {
        required: ['actor', 'api', 'src_endpoint'],
        properties: {
          api: {
            type: 'object',
            required: ['operation'],
            properties: { request: { type: 'object', required: ['uid'] } },
          },
          src_endpoint: { type: 'object', ...ENTITY },
        },
      },
    },
  }

/** Fails unless a row meets the requirements of its class, and has the uids that follow from class and activity. */
export function assertOcsf(row: OcsfRow): void {
  const known = CLASSES[row.class_uid] ?? assert.fail(`no class ${row.class_uid}`)
  const ajv = new Ajv({ strict: false, allErrors: true })
  const validate = ajv.compile({ allOf: [BASE, known.schema] })
  assert.ok(validate(row), `${row.type_name}: ${ajv.errorsText(validate.errors)}`)
  assert.equal(row.category_uid, Math.floor(row.class_uid / 1000))
  assert.equal(row.type_uid, row.class_uid * 100 + row.activity_id)
  assert.ok([0, 99, ...known.activities].includes(row.activity_id), row.type_name)
}
