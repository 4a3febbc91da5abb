/** Verifies every token in `vectors.json` with the package. */
import { readFileSync } from 'node:fs'
import { verifyToken } from '@deputize/sdk'

const { tokens, options, now_s } = JSON.parse(readFileSync('vectors.json', 'utf8'))
const verdict = (jwt) =>
  verifyToken(jwt, { ...options, clock: () => now_s * 1000 }).then(
    ({ claims }) => claims,
    (error) => error.code,
  )
console.log(JSON.stringify(await Promise.all(tokens.map(verdict))))
