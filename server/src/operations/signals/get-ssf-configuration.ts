import { OPERATIONS, POLL_DELIVERY, PUSH_DELIVERY } from '@deputize/protocol'
import type { Handler } from '../operation-context.ts'

/** Metadata of the OpenID Shared Signals Framework. */
export const getSsfConfiguration: Handler<'getSsfConfiguration'> = async ({ origin }, { issuer }) => ({
  spec_version: '1_0',
  issuer,
  jwks_uri: `${origin}${OPERATIONS.getKeySet.path}`,
  delivery_methods_supported: [PUSH_DELIVERY, POLL_DELIVERY],
  configuration_endpoint: `${origin}${OPERATIONS.createStream.path}`,
  status_endpoint: `${origin}${OPERATIONS.getStreamStatus.path}`,
  add_subject_endpoint: `${origin}${OPERATIONS.addStreamSubject.path}`,
  remove_subject_endpoint: `${origin}${OPERATIONS.removeStreamSubject.path}`,
  verification_endpoint: `${origin}${OPERATIONS.verifyStream.path}`,
  authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6750' }],
  default_subjects: 'ALL',
})
