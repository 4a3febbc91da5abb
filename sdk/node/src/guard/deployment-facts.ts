import type { Methods } from '../generated/operations.ts'
import type { GuardOptions } from './options.ts'

/** Facts that the service reports about itself. Read once. */
export interface DeploymentFacts {
  issuer(): Promise<string>
  /** Whether the guard may accept tokens that are not bound to a key. False if the service cannot be reached. */
  allowsBearer(): Promise<boolean>
}

export function deploymentFacts(
  client: Pick<Methods, 'getDeployment'>,
  { issuer, key, allow_bearer }: GuardOptions,
): DeploymentFacts {
  let known: { readonly issuer: string; readonly access: string } | undefined
  const read = async () => {
    known ??= await client.getDeployment()
    return known
  }
  return {
    issuer: async () => issuer ?? (await read()).issuer,
    async allowsBearer() {
      if (allow_bearer !== undefined) return allow_bearer
      if (key !== undefined) return false
      const facts = known ?? (await read().catch(() => undefined))
      return facts?.access === 'open'
    },
  }
}
