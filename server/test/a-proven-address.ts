import type { TestApp } from '@deputize/testing/a-test-app.ts'

interface ProvenAddress {
  readonly tenant_id: string
  /** The ref of the address. */
  readonly address: string
  /** The ref that the person signs in with. */
  readonly account: string
}

/** Links an address to the person who proved it, as their sign-in does. */
export async function proveAddress(
  { submit }: Pick<TestApp, 'submit'>,
  { tenant_id, address, account }: ProvenAddress,
): Promise<void> {
  await submit({
    kind: 'register',
    entry_kind: 'identity',
    id: address,
    tenant_id,
    owner: account,
    document: JSON.stringify({ linked_to: account, at: new Date(0).toISOString() }),
    expects: 'absent',
  })
}
