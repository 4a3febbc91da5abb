import { type PackStatus, packStatus } from '@deputize/biometrics'
import type { Environment } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { facts } from '../terminal/facts.ts'
import { type EngineCommandOptions, engineSettings } from './engine-settings.ts'

const WAYS_OUT: Readonly<Record<PackStatus['state'], string>> = {
  ready: '',
  broken: '',
  failed: '',
  absent: 'Run `deputy verification install`, or let the first verification fetch it.\n',
  installing: 'Another process is installing it.\n',
  off: 'Remove DEPUTY_ENGINE=off to use the engine.\n',
}

/** Prints what is known about the pack, and returns the exit code. */
export function runStatus(options: EngineCommandOptions, env: Environment): ExitCode {
  const status = packStatus(engineSettings(options, env))
  process.stdout.write(options.json === true ? `${JSON.stringify(status)}\n` : statusText(status))
  return status.state === 'ready' ? EXIT.done : EXIT.fault
}

function statusText({ state, version, folder, bytes, missing, problem }: PackStatus): string {
  const table = facts([
    ['state', state],
    ['version', version],
    ['folder', folder],
    ['size', bytes === 0 ? undefined : `${Math.round(bytes / 1e6)} MB`],
    ['missing', missing.length === 0 ? undefined : `${missing.join(', ')} (no voice comparison)`],
  ])
  return `${table}${problem === undefined ? WAYS_OUT[state] : `${problem}\n`}`
}
