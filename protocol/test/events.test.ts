import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cloudEventOf, EVENT_TYPES, eventSchema, exampleEvent } from '@deputize/protocol'
import { Ajv } from 'ajv'

const ajv = new Ajv({ strict: false, formats: {}, validateFormats: false })

describe('events', () => {
  test('have an example of every type that fits its schema', () => {
    for (const type of EVENT_TYPES) {
      const validate = ajv.compile(eventSchema(type))
      assert.ok(validate(exampleEvent(type)), `${type}: ${ajv.errorsText(validate.errors)}`)
    }
  })

  test('have the required attributes as CloudEvents, with names of lower-case letters and digits only', () => {
    for (const type of EVENT_TYPES) {
      const event = cloudEventOf(exampleEvent(type), 'https://deputy.example')
      const { specversion, id, source } = event
      assert.deepEqual(
        { specversion, id, source },
        { specversion: '1.0', id: 'evt_1204', source: 'https://deputy.example' },
      )
      assert.equal(event.type, `dev.deputy.${type}`)
      for (const name of Object.keys(event)) assert.match(name, /^[a-z0-9]{1,20}$/)
    }
  })
})
