import { spawnSync } from 'node:child_process'
import { type NoteKey, readVkey, vkeyOf } from '@deputize/protocol'
import { aProgram, type Program } from '@deputize/testing/program.ts'
import { CLI } from '@deputize/testing/programs.ts'
import type { TestScope } from '@deputize/testing/scope.ts'

export interface WitnessProgram extends Program {
  readonly key: NoteKey
  /** Sends an add-checkpoint request. */
  add(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; type: string | null; body: string }>
}

export interface WitnessOptions {
  readonly name?: string
  readonly port?: string
}

function commandOf(directory: string, logs: readonly NoteKey[], { name, port }: WitnessOptions): string[] {
  const options = ['--data', directory, '--name', name ?? 'witness.test/w1', '--port', port ?? '0']
  return [process.execPath, CLI, 'witness', ...options, ...logs.flatMap((log) => ['--log', vkeyOf(log)])]
}

/** `deputy witness` as an operator starts it: its own process, its own socket, its own files. */
export async function aWitnessProgram(
  scope: TestScope,
  directory: string,
  logs: readonly NoteKey[],
  options: WitnessOptions = {},
): Promise<WitnessProgram> {
  const program = await aProgram(scope, '/nowhere', {}, commandOf(directory, logs, options))
  const [, vkey = ''] = /^ *key +(\S+)/m.exec(program.output()) ?? []
  return {
    ...program,
    key: readVkey(vkey),
    async add(body) {
      const response = await fetch(`${program.url}/add-checkpoint`, { method: 'POST', body })
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: await response.text(),
      }
    },
  }
}

/** Starts a witness that must refuse to start, and returns how it ended. */
export function refusedWitness(
  directory: string,
  logs: readonly NoteKey[],
  options: WitnessOptions = {},
): { status: number | null; stderr: string } {
  const [executable = '', ...args] = commandOf(directory, logs, options)
  return deputy(executable, args)
}

/** Runs a witness with any options until it exits. */
export function witnessWith(...options: string[]): { status: number | null; stderr: string } {
  return deputy(process.execPath, [CLI, 'witness', ...options])
}

function deputy(executable: string, args: readonly string[]) {
  return spawnSync(executable, args, {
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '' },
    timeout: 120_000,
  })
}
