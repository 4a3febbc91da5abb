import { Argument, type Command } from 'commander'
import { endingWithUsage } from '../client/running.ts'
import { bashScript } from './completion/bash.ts'
import { entriesOf } from './completion/entries.ts'
import { fishScript } from './completion/fish.ts'
import { zshScript } from './completion/zsh.ts'

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const
type Shell = keyof typeof SCRIPTS

/** `deputy completion`: a script that knows every command and option there is. */
export function addCompletionCommand(program: Command): void {
  endingWithUsage(program.command('completion'))
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      [
        '',
        'bash  deputy completion bash > ~/.local/share/bash-completion/completions/deputy',
        'zsh   deputy completion zsh > ~/.zfunc/_deputy, with ~/.zfunc in fpath',
        'fish  deputy completion fish > ~/.config/fish/completions/deputy.fish',
      ].join('\n'),
    )
    .action((shell: Shell) => {
      process.stdout.write(SCRIPTS[shell](entriesOf(program)))
    })
}
