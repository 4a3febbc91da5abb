import { deputyProgram } from './program.ts'

/** An empty variable is an unset one, for every command as for the service: a template may leave it empty. */
function unsetEmptySettings(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('DEPUTY_') && value === '') delete process.env[name]
}

unsetEmptySettings()
await (await deputyProgram(process.argv[2])).parseAsync()
