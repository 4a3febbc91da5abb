/** The part of /me about face and voice: enrolling, the sign of coercion, and the export. */
import { confirmed, type PageCall, sendRequest, signInPathFor } from './call.ts'

const ME = '/me'

interface PreparedEnrollment {
  readonly url: string
}

/** Leads to the hosted page, or to the sign-in if that is needed first. Then the person must start again. */
export async function enrollMe(): Promise<void> {
  const body = { purpose: 'enroll', return_url: `${location.origin}${ME}` }
  try {
    const answer: unknown = await sendRequest('POST', '/v1/vat/auth/sessions/hosted', body)
    const { url } = answer as PreparedEnrollment // the answer of this operation
    location.assign(url)
  } catch (error) {
    const sign_in_path = signInPathFor(error)
    if (sign_in_path === undefined) throw error
    location.assign(sign_in_path)
  }
}

export const SIGN_SAVED = 'Saved.'

/** Unlike other deeds, never kept during a sign-in: a word in the tab's storage could be read. */
export async function saveSign(): Promise<boolean> {
  const contacts = fieldValue('sign-contacts')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const word = fieldValue('sign-word')
  const gesture = fieldValue('sign-gesture')
  const body = { ...(word !== '' && { word }), ...(gesture !== '' && { gesture }), contacts }
  return changeSign({ operation: 'setDuress', method: 'PUT', path: '/v1/vat/auth/duress', body })
}

/** Looks the same as saving, and says the same. */
export async function removeSign(): Promise<boolean> {
  return changeSign({ operation: 'deleteDuress', method: 'DELETE', path: '/v1/vat/auth/duress' })
}

async function changeSign(call: PageCall): Promise<boolean> {
  if ((await confirmed(call)) === undefined) return false
  for (const id of ['sign-word', 'sign-gesture', 'sign-contacts']) setValue(id, '')
  return true
}

/** The file is made here, so that a tenant can require a passkey for the call. */
export async function exportBiometricData(button: HTMLButtonElement): Promise<void> {
  const { path = '', humanRef = '' } = button.dataset
  const params = { human_ref: humanRef }
  const answer = await confirmed({ operation: 'exportBiometrics', method: 'GET', path, params })
  if (answer === undefined) return
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([JSON.stringify(answer, null, 2)], { type: 'application/json' }))
  link.download = 'biometrics.json'
  link.click()
  URL.revokeObjectURL(link.href)
}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

function fieldOf(id: string): Field | undefined {
  const field = document.getElementById(id)
  const isField =
    field instanceof HTMLInputElement ||
    field instanceof HTMLSelectElement ||
    field instanceof HTMLTextAreaElement
  return isField ? field : undefined
}

function fieldValue(id: string): string {
  return fieldOf(id)?.value.trim() ?? ''
}

function setValue(id: string, value: string): void {
  const field = fieldOf(id)
  if (field !== undefined) field.value = value
}
