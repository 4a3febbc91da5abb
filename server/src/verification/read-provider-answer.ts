import { AuthorityError, readJson } from '@deputize/protocol'

/** Returns the JSON object in a provider's answer. Throws `provider_unavailable` for any other answer. */
export async function readProviderAnswer(response: Response): Promise<Readonly<Record<string, unknown>>> {
  const value = response.status === 200 ? parsed(new Uint8Array(await response.arrayBuffer())) : undefined
  if (typeof value !== 'object' || value === null) throw new AuthorityError('provider_unavailable')
  return { ...value }
}

function parsed(text: Uint8Array): unknown {
  try {
    return readJson(text, { members: 1024, items: 4096 })
  } catch {
    return undefined
  }
}
