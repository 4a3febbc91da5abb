import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { aTestApp } from '@deputize/testing/a-test-app.ts'
import { temporaryDirectory } from '@deputize/testing/scope.ts'
import { templateOf } from '../../src/operations/identity/biometric-entries.ts'
import {
  acceptedConsent,
  keepConsent,
} from '../../src/operations/verification/biometric-sessions/biometric-consent.ts'
import { loadConsent } from '../../src/verification/consent-notice.ts'
import { anEnrolment } from '../an-enrolled-person.ts'

const PERSON = { tenant_id: 'default', human_ref: `sha256:${'a'.repeat(64)}` }

/** Writes the operator's consent text to a file. */
function aConsentFile(scope: TestContext, content: unknown): string {
  const file = join(temporaryDirectory(scope), 'consent.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

describe('consent', () => {
  test('is refused without a version or with another one, naming the current version', async (context) => {
    const { context: service } = await aTestApp(context)
    const { version } = service.verification.consent
    for (const given of [undefined, { version: 'old' }])
      assert.throws(() => acceptedConsent(given, service), {
        code: 'consent_required',
        members: { version },
      })
    const { text_hash, accepted_at } = acceptedConsent({ version }, service)
    assert.equal(text_hash, service.verification.consent.text_hash)
    assert.equal(accepted_at, new Date(service.clock()).toISOString())
  })

  test('is requested again after the text changes, and then stored', async (context) => {
    const service = await aTestApp(context)
    await anEnrolment(service, PERSON)
    const file = aConsentFile(context, { version: '2', en: 'New text.', de: 'Neuer Text.' })
    const { notice } = loadConsent(file, 30)
    assert.ok(notice !== undefined)
    const changed = {
      ...service.context,
      verification: { ...service.context.verification, consent: notice },
    }
    const known = async () => {
      const found = await templateOf(PERSON, changed)
      assert.ok(found !== undefined)
      return found
    }
    await keepConsent(PERSON, await known(), undefined, service.context)
    await assert.rejects(keepConsent(PERSON, await known(), undefined, changed), { code: 'consent_required' })
    await assert.rejects(keepConsent(PERSON, await known(), { version: '1' }, changed), {
      members: { version: '2' },
    })
    await keepConsent(PERSON, await known(), { version: '2' }, changed)
    assert.equal((await known()).document.consent.text_hash, notice.text_hash)
    await keepConsent(PERSON, await known(), undefined, changed)
  })
})

describe('the consent file', () => {
  test('replaces the default text, and contains the number of days', (context) => {
    const file = aConsentFile(context, { version: '2026-11', en: 'For {retention_days} days.', de: 'Tage.' })
    const { notice } = loadConsent(file, 30)
    assert.equal(notice?.texts.en, 'For 30 days.')
    assert.notEqual(notice?.text_hash, loadConsent(file, 31).notice?.text_hash)
    assert.notEqual(notice?.text_hash, loadConsent(undefined, 30).notice?.text_hash)
  })

  test('is refused with the reason', (context) => {
    const texts = { en: 'Text.', de: 'Text.' }
    const wrong: [unknown, RegExp][] = [
      ['no json', /not JSON/],
      [{ ...texts }, /version/],
      [{ version: 'a b', ...texts }, /version/],
      [{ version: '1', en: 'Text.' }, /en and de/],
      [{ version: '1', ...texts, en: ' ' }, /en and de/],
      [{ version: '1', ...texts, fr: 'Texte.' }, /fr is unknown/],
      [[], /version/],
    ]
    for (const [content, message] of wrong)
      assert.match(loadConsent(aConsentFile(context, content), 30).problem ?? '', message)
    assert.match(loadConsent('/nowhere/consent.json', 30).problem ?? '', /ENOENT/)
  })
})
