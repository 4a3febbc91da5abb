import type { EngineState } from '../contract.ts'

/** Seconds after which to ask again while the engine is being fetched. */
export const INSTALL_RETRY_S = 15

/** Returns why no capture can be judged now, and what to do about it. */
export function unavailableText(engine: EngineState): string {
  switch (engine.state) {
    case 'off':
      return 'Biometric verification is off here (DEPUTY_ENGINE=off).'
    case 'installing':
      return `The verification engine is being fetched (${engine.doing}). Try again in ${INSTALL_RETRY_S} seconds.`
    case 'failed':
      return `The verification engine could not be fetched. ${engine.reason} Then run \`deputy verification install\`.`
    default:
      return 'The verification engine is not installed. Run `deputy verification install`.'
  }
}
