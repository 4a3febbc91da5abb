/** Which provider verifies a person: the tenant chooses among those that the operator configured. */

/** The setting of a tenant. */
export interface ProviderChoice {
  readonly providers: readonly string[]
  readonly default?: string
}

/** The provider name of this service's own engine. */
export const BUILTIN_PROVIDER = 'builtin'

/** Returns the providers that a tenant may use, the default first. `configured` are the operator's for this tenant. */
export function allowedProviders(
  setting: ProviderChoice | null | undefined,
  configured: readonly string[],
): readonly string[] {
  const known = [BUILTIN_PROVIDER, ...configured]
  if (setting === undefined || setting === null) return known
  const allowed = setting.providers.filter((name) => known.includes(name))
  const { default: first } = setting
  return first !== undefined && allowed.includes(first)
    ? [first, ...allowed.filter((name) => name !== first)]
    : allowed
}

/** Returns the requested provider, or the default if none is requested. Undefined if the tenant doesn't allow it. */
export function chosenProvider(allowed: readonly string[], asked: string | undefined): string | undefined {
  return asked === undefined ? allowed[0] : allowed.find((name) => name === asked)
}
