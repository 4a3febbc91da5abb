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

await (await program()).parseAsync()
