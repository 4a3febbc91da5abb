import assert from 'node:assert/strict'
import { AuthorityError } from '../../../protocol/src/api/errors.ts'
import { readForm } from '../../../server/src/http/form.ts'
import type { FuzzTarget } from '../fuzz.ts'
import { unlessRefused } from '../refusal.ts'

/** An accepted form reads the same after it is written back. */
export const formTarget: FuzzTarget = {
  seeds: ['grant_type=client_credentials&scope=a+b', 'a=%C3%A9&b=&c', ''].map((text) => Buffer.from(text)),
  words: ['%', '%00', '%C3%A9', '__proto__=1', '&', '=', '+'],
  read(bytes) {
    const form = unlessRefused(() => readForm(Buffer.from(bytes)), AuthorityError)
    if (form === undefined) return false
    const written = Object.entries(form).map((pair) => pair.map(encodeURIComponent).join('='))
    assert.deepEqual(readForm(Buffer.from(written.join('&'))), form)
    return true
  },
}
