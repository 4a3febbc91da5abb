/** Which provider verifies a person: a choice of the tenant among those that the operator configured. */

/** The setting of a tenant. */
export interface ProviderChoice {
  readonly providers: readonly string[]
  readonly default?: string
}

/** The name of the engine of this service among the providers. */
export const BUILTIN_PROVIDER = 'builtin'

/** The providers that a tenant may use, the default one first. `configured` are those of the operator for this tenant. */
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

/** The provider of a session that asks for one or for none. Undefined: the tenant does not allow it. */
export function chosenProvider(allowed: readonly string[], asked: string | undefined): string | undefined {
  return asked === undefined ? allowed[0] : allowed.find((name) => name === asked)
}
