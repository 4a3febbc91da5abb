import type { FastifyBaseLogger } from 'fastify'
import { type Config, ConfigError } from '../config.ts'
import type { Metrics } from '../http/metrics.ts'
import { CALLBACK_PATH } from '../http/people/sign-in-pages.ts'
import { outbound } from '../outbound/outbound.ts'
import { type Engine, openBuiltinEngine, operatorNets } from '../verification/biometric-engine.ts'
import { type ConsentNotice, loadConsent } from '../verification/consent-notice.ts'
import { type ExternalProviders, openExternals } from '../verification/external/external-providers.ts'
import { loadExternals } from '../verification/external/load-external.ts'
import type { ExternalParts } from '../verification/external/port.ts'
import { loadProviders } from '../verification/load-providers.ts'
import { openSignIn } from '../verification/oidc.ts'
import type { Provider } from '../verification/providers.ts'
import type { Parts } from './parts.ts'

/** Verification providers embed reports in their answers. */
const EXTERNAL_ANSWER_BYTES = 1024 * 1024

/** Opens sign-in for people through the configured providers. */
export function signInOf(config: Config, clock: () => number, public_url: () => string) {
  return openSignIn({
    providers: signInProviders(config),
    // A provider on this machine is for development, when this service isn't reachable from other machines either.
    callFor: ({ issuer }) =>
      outbound({ allow_loopback: config.public_url.startsWith('http:') && issuer.startsWith('http:') }),
    clock,
    redirect_uri: () => `${public_url()}${CALLBACK_PATH}`,
  })
}

function signInProviders({ oidc_file }: Config): readonly Provider[] {
  if (oidc_file === undefined) return []
  const { providers, problems } = loadProviders(oidc_file)
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `DEPUTY_OIDC_FILE: ${problem}`))
  return providers
}

export function externalPartsOf(
  { public_url: configured }: Config,
  { deployment, clock }: Parts,
  public_url: () => string,
): Omit<ExternalParts, 'name'> {
  // A provider on this machine is for development, as with sign-in.
  const allow_loopback = configured.startsWith('http:')
  return {
    call: outbound({ allow_loopback, limit_bytes: EXTERNAL_ANSWER_BYTES }),
    clock,
    public_url,
    derivedSecret: (purpose) => deployment.keys.digest('sandbox', purpose),
  }
}

/** Opens the verification providers. A sandbox verifies no one, so in keyed mode the file must acknowledge this. */
export function identityProviders(
  { idv_file, access }: Config,
  parts: Omit<ExternalParts, 'name'>,
): ExternalProviders {
  if (idv_file === undefined) return openExternals([], parts)
  const { entries, problems } = loadExternals(idv_file)
  const careless = entries.filter(({ is_for_keyed }) => access === 'keyed' && !is_for_keyed)
  const warnings = careless.map(
    ({ name }) =>
      `Provider ${name}: a sandbox verifies no one. To use it in keyed mode anyway, add "nobody_is_verified": true.`,
  )
  const all = [...problems, ...warnings]
  if (all.length > 0) throw new ConfigError(all.map((problem) => `DEPUTY_IDV_FILE: ${problem}`))
  return openExternals(entries, parts)
}

/** Problems in the file are configuration errors and are reported as such. */
export function consentNotice({ consent_file, biometric_retention_days }: Config): ConsentNotice {
  const { notice, problem } = loadConsent(consent_file, biometric_retention_days)
  if (notice === undefined) throw new ConfigError([`DEPUTY_CONSENT_FILE: ${problem}`])
  return notice
}

/** Opens this machine's engine. Events of its processes are counted, and a process that failed is also logged. */
export function engineOf({ engine }: Config, metrics: Metrics, logger: FastifyBaseLogger): Engine {
  const own = operatorNets(engine.nets_file)
  if ('problem' in own) throw new ConfigError([own.problem])
  return openBuiltinEngine(engine, own.nets, (event) => {
    metrics.onEngineEvent(event)
    if (event.kind === 'process' && event.change !== 'started' && event.change !== 'idle')
      logger.warn({ change: event.change, detail: event.detail }, 'a judging process ended')
  })
}
