import { Argument, type Command } from 'commander'
import { endingWithUsage } from '../client/usage.ts'
import { bashScript } from './completion/bash.ts'
import { commandEntries } from './completion/entries.ts'
import { fishScript } from './completion/fish.ts'
import { zshScript } from './completion/zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
type Shell = keyof typeof SCRIPTS

/** `deputy completion`: prints a completion script for a shell. */
export function addCompletionCommand(program: Command): void {
  endingWithUsage(program.command('completion'))
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      [
        '',
        'Save the script where your shell looks for completions:',
        '  bash  ~/.local/share/bash-completion/completions/deputy',
        '  zsh   ~/.zfunc/_deputy, with ~/.zfunc in fpath',
        '  fish  ~/.config/fish/completions/deputy.fish',
      ].join('\n'),
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](commandEntries(program)))
    })
}
