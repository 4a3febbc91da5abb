import type { CDPSession, Page } from 'playwright-core'

/** A virtual authenticator in a page. */
export interface Authenticator {
  readonly cdp: CDPSession
  readonly id: string
}

/** Adds an authenticator that verifies its owner and always consents, or never answers. */
export async function anAuthenticator(page: Page, consents = true): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: consents,
    },
  })
  return { cdp, id: authenticatorId }
}

type Passkeys = Awaited<ReturnType<typeof passkeysIn>>

/** The passkeys in an authenticator, with their signature counters: a service refuses one that counts backwards. */
export async function passkeysIn({ cdp, id }: Authenticator) {
  return (await cdp.send('WebAuthn.getCredentials', { authenticatorId: id })).credentials
}

/** Copies passkeys to another device of the same person. */
export async function addPasskeys({ cdp, id }: Authenticator, passkeys: Passkeys): Promise<void> {
  for (const credential of passkeys)
    await cdp.send('WebAuthn.addCredential', { authenticatorId: id, credential })
}
