const COORDINATE = { type: 'string', pattern: '^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$' }

/**
 * The JSON Schema of `agent_jwk` for the OpenAPI document. The service reads keys by its own rules, which also refuse
 * points of low order and points that are not on the curve.
 */
export const AGENT_JWK = {
  description:
    'Public key of the agent as a JWK. The token is then bound to it (`cnf.jkt`). Weak keys and points that are not on the curve are refused.',
  oneOf: [
    {
      type: 'object',
      title: 'Ed25519 key',
      required: ['kty', 'crv', 'x'],
      properties: {
        kty: { type: 'string', const: 'OKP', description: 'Key type.' },
        crv: { type: 'string', const: 'Ed25519', description: 'Curve.' },
        x: { ...COORDINATE, description: 'The public key, 32 bytes in base64url.' },
      },
      additionalProperties: false,
    },
    {
      type: 'object',
      title: 'P-256 key',
      required: ['kty', 'crv', 'x', 'y'],
      properties: {
        kty: { type: 'string', const: 'EC', description: 'Key type.' },
        crv: { type: 'string', const: 'P-256', description: 'Curve.' },
        x: { ...COORDINATE, description: 'The x coordinate, 32 bytes in base64url.' },
        y: { ...COORDINATE, description: 'The y coordinate, 32 bytes in base64url.' },
      },
      additionalProperties: false,
    },
  ],
  examples: [{ kty: 'OKP', crv: 'Ed25519', x: 'ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ' }],
}
