import type { DeploymentFacts } from './deployment-facts.ts'
import type { GuardOptions } from './options.ts'

/** The metadata of a protected resource (RFC 9728). */
export interface ResourceMetadata {
  readonly resource: string
  readonly authorization_servers: readonly string[]
  readonly scopes_supported: readonly string[]
  readonly bearer_methods_supported: readonly ['header']
  readonly dpop_signing_alg_values_supported: readonly string[]
  readonly dpop_bound_access_tokens_required: boolean
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'
const PROOF_ALGORITHMS = ['EdDSA', 'ES256']

/** The document in which a guarded API describes itself. */
export interface ResourceDescription {
  readonly path: string
  /** Adds `action@resource`, the form of a scope at the token endpoint. */
  addScope(action: string, resource: unknown): void
  document(): Promise<ResourceMetadata>
  /** Makes challenges name the URL of the document from now on. */
  advertise(): void
  advertisedUrl(): string | undefined
}

export function resourceDescription(options: GuardOptions, facts: DeploymentFacts): ResourceDescription {
  const scopes = new Set<string>()
  let isAdvertised = false
  return {
    get path() {
      return metadataUrl(resourceUrl(options)).pathname
    },
    addScope(action, resource) {
      if (typeof resource === 'string') scopes.add(`${action}@${resource}`)
    },
    document: async () => ({
      resource: resourceUrl(options),
      authorization_servers: [await facts.issuer()],
      scopes_supported: [...scopes].sort(),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: PROOF_ALGORITHMS,
      dpop_bound_access_tokens_required: !(await facts.allowsBearer()),
    }),
    advertise() {
      isAdvertised = true
    },
    advertisedUrl: () => (isAdvertised ? metadataUrl(resourceUrl(options)).href : undefined),
  }
}

/** Returns the URL that names this API: its audience, or else the URL under which callers reach it. */
function resourceUrl({ audience, public_url }: GuardOptions): string {
  const url = [audience, public_url].find((text) => text !== undefined && /^https?:/.test(text))
  if (url === undefined)
    throw new TypeError('Metadata needs the URL of this API. Set public_url, or a URL as the audience.')
  return url
}

/** Puts the well-known part between host and path (RFC 9728 section 3.1). */
function metadataUrl(resource: string): URL {
  const { origin, pathname } = new URL(resource)
  return new URL(`${origin}${WELL_KNOWN}${pathname.replace(/\/+$/, '')}`)
}
