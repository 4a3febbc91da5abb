import { AuthorityError, type CredentialError, type CredentialFault, challenge } from '@deputize/protocol'

/** A `CredentialError` as the caller sees it, with the fault in headers for programs. */
export class CredentialRefused extends AuthorityError {
  readonly fault: CredentialFault
  readonly headers: Readonly<Record<string, string>>

  constructor({ fault, reason, message }: CredentialError, nonce: () => string) {
    super('credential_invalid', `${message}.`, { reason })
    this.fault = fault
    this.headers = {
      'www-authenticate': challenge(fault),
      ...(fault === 'nonce_required' && { 'dpop-nonce': nonce() }),
    }
  }
}
