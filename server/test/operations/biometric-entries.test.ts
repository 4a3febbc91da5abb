import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import {
  biometricId,
  type NewTemplate,
  replaceTemplate,
  storeTemplate,
  templateOf,
  updateBiometric,
} from '../../src/operations/identity/biometric-entries.ts'

const PERSON = { tenant_id: 'default', human_ref: `sha256:${'a'.repeat(64)}` }
const OTHER = { tenant_id: 'default', human_ref: `sha256:${'b'.repeat(64)}` }
const DAY_MS = 86_400_000

function aTemplate(): NewTemplate {
  const face = randomBytes(512).toString('base64')
  return {
    template: { version: 1, engine_version: 'test', face, voice: {} },
    consent: { version: '1', accepted_at: '2026-01-01T00:00:00.000Z', text_hash: 'sha256:00' },
  }
}

describe('the template of a person', () => {
  test('is returned as it was stored, but to no other person', async (context) => {
    const service = await aTestApp(context)
    const enrolled = aTemplate()
    await storeTemplate(PERSON, enrolled, service.context)
    const known = await templateOf(PERSON, service.context)
    assert.deepEqual(known?.document.template, enrolled.template)
    assert.equal(await templateOf(OTHER, service.context), undefined)
    assert.equal(await templateOf({ ...PERSON, tenant_id: 'acme' }, service.context), undefined)
  })

  test('is stored once: another enrolment does not overwrite it', async (context) => {
    const service = await aTestApp(context)
    const first = aTemplate()
    await storeTemplate(PERSON, first, service.context)
    await assert.rejects(storeTemplate(PERSON, aTemplate(), service.context), { code: 'already_enrolled' })
    assert.deepEqual((await templateOf(PERSON, service.context))?.document.template, first.template)
  })

  test('is replaced with the date of its first enrolment and a new end date', async (context) => {
    const service = await aTestApp(context)
    const first = await storeTemplate(PERSON, aTemplate(), service.context)
    service.clock.advance(DAY_MS)
    const second = await replaceTemplate(PERSON, aTemplate(), service.context)
    assert.equal(second.enrolled_at, first.enrolled_at)
    assert.equal(Date.parse(second.retention_until) - Date.parse(first.retention_until), DAY_MS)
    assert.equal(second.duress, first.duress)
  })

  test('can be changed by several callers at once without losing a change', async (context) => {
    const service = await aTestApp(context)
    await storeTemplate(PERSON, aTemplate(), service.context)
    const change = (from: number) =>
      updateBiometric(
        PERSON,
        (known) => ({ ...known, duress: `${known.duress.slice(0, from)}x${known.duress.slice(from + 1)}` }),
        service.context,
      )
    await Promise.all([change(0), change(1), change(2)])
    assert.match((await templateOf(PERSON, service.context))?.document.duress ?? '', /^xxx +$/)
  })

  test('ends after its retention period, and the person can enrol again', async (context) => {
    const service = await aTestApp(context)
    await storeTemplate(PERSON, aTemplate(), service.context)
    service.clock.advance(365 * DAY_MS)
    assert.equal(await templateOf(PERSON, service.context), undefined)
    const again = aTemplate()
    await storeTemplate(PERSON, again, service.context)
    assert.deepEqual((await templateOf(PERSON, service.context))?.document.template, again.template)
  })

  test('is logged as a digest', async (context) => {
    const service = await aTestApp(context)
    const { template } = await storeTemplate(PERSON, aTemplate(), service.context)
    const leaves = (await service.leafTexts()).join('\n')
    assert.match(leaves, /"kind":"biometric"/)
    assert.ok(!leaves.includes(template.face.slice(0, 20)))
    assert.ok(!leaves.includes(biometricId(PERSON)))
  })

  test('always has a duress slot of the same length', async (context) => {
    const service = await aTestApp(context)
    await storeTemplate(PERSON, aTemplate(), service.context)
    await assert.rejects(
      updateBiometric(PERSON, (known) => ({ ...known, duress: 'short' }), service.context),
      /one length/,
    )
  })
})
