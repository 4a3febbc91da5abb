import { AuthorityError, readJson } from '@deputize/protocol'

/** The object in a good answer of a provider. Anything else is no answer. */
export async function readAnswer(response: Response): Promise<Readonly<Record<string, unknown>>> {
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
