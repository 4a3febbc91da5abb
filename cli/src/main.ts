import { deputyProgram } from './program.ts'

/** Makes every command treat an empty variable as unset, like the service: a template may leave it empty. */
function unsetEmptySettings(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('DEPUTY_') && value === '') delete process.env[name]
}

unsetEmptySettings()
await (await deputyProgram(process.argv[2])).parseAsync()
