/** What the checks of proofs need of the protocol. In the package it takes the place of its index, which holds far more. */
export { AuthorityError } from '../../../../protocol/src/errors.ts'
export { HOLDER_ALGORITHMS, readHolderJwk, verifyHolder } from '../../../../protocol/src/holder-key.ts'
export { KeyError, thumbprint } from '../../../../protocol/src/jwk.ts'
export { splitCompact, TokenError } from '../../../../protocol/src/jws.ts'
