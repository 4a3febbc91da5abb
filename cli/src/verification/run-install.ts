import { packStatus } from '@deputize/biometrics'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { type EngineCommandOptions, engineSettings } from './engine-settings.ts'
import { fetchPack } from './fetch-pack.ts'
import { runStatus } from './run-status.ts'

/** Fetches the pack into the data directory. A copied pack is only checked. */
export async function runInstall(options: EngineCommandOptions, env: Environment): Promise<ExitCode> {
  const settings = engineSettings(options, env)
  const { json = false } = options
  if (settings.mode === 'off')
    return refuse('The verification engine is off. Remove DEPUTY_ENGINE=off.', json)
  if (settings.copied !== undefined) return runStatus(options, env)
  return fetchPack({
    root: settings.root,
    json,
    say: (folder) => `Installed the engine pack ${packStatus(settings).version} in ${folder}\n`,
  })
}

function refuse(problem: string, json: boolean): ExitCode {
  process.stderr.write(json ? `${JSON.stringify({ error: problem })}\n` : `${problem}\n`)
  return EXIT.config
}
