import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'

const SCHEMA = new URL('../../../vectors/prov/schemas/prov-json.schema.json', import.meta.url)

/**
 * The schema of the PROV-JSON submission. It uses JSON Schema draft 4, whose `id` later drafts renamed, and has a typo:
 * `wasEndedby` for `wasEndedBy`.
 */
export function provSchema(): ValidateFunction {
  const { id: _id, $schema: _draft, ...schema } = JSON.parse(readFileSync(SCHEMA, 'utf8'))
  schema.properties.wasEndedBy = schema.properties.wasEndedby
  schema.definitions.bundle.properties.wasEndedBy = schema.definitions.bundle.properties.wasEndedby
  const ajv = new Ajv({ strict: false })
  ajv.addFormat('uri', /^[A-Za-z][A-Za-z0-9+.-]*:\S*$/)
  ajv.addFormat('date-time', (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)))
  return ajv.compile(schema)
}
