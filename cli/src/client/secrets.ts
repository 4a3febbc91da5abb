import { type AgentKey, importAgentKey, type PrivateJwk } from '@deputize/sdk'
import { UsageError } from './exit.ts'

/** A secret, and the file or variable that it comes from. */
export interface FoundSecret {
  readonly place: string
  readonly text: string
}

export function checkedApiKey({ place, text }: FoundSecret): string {
  if (!/^dk_[\x21-\x7e]+$/.test(text))
    throw new UsageError(
      `${place} doesn't contain an API key. API keys start with dk_ and are printable ASCII.`,
    )
  return text
}

/** The key that a token is bound to. */
export async function checkedAgentKey({ place, text }: FoundSecret): Promise<AgentKey> {
  try {
    return await importAgentKey(JSON.parse(text) as PrivateJwk) // importing rejects everything else
  } catch {
    throw new UsageError(`${place} doesn't contain the key of an agent: a private JWK, Ed25519 or P-256.`)
  }
}
