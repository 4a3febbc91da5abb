import type { Command } from 'commander'

/** A service starts faster without the other commands. */
async function program(): Promise<Command> {
  if (process.argv[2] !== 'start') return (await import('./program.ts')).deputyProgram()
  const [{ programOf }, { addStartCommand }] = await Promise.all([
    import('./program-frame.ts'),
    import('./start.ts'),
  ])
  return programOf([['Run:', [addStartCommand]]])
}

/** An empty variable is an unset one, for every command as for the service: a template may leave it empty. */
function unsetEmptySettings(): void {
  for (const [name, value] of Object.entries(process.env))
    if (name.startsWith('DEPUTY_') && value === '') delete process.env[name]
}

unsetEmptySettings()
await (await program()).parseAsync()
