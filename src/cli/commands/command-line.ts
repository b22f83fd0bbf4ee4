import type { CommandSpec } from '../command-spec.ts';

/** The shells that `keyslot completion` writes for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The command line itself. */
export const LINE_COMMANDS = [
  {
    name: 'completion',
    group: 'This command line',
    summary: 'Print a completion script for a shell',
    details: [
      'bash: add the first example to ~/.bashrc. zsh: add the second to ~/.zshrc, after compinit. fish: run the third once.',
    ],
    args: [{ name: 'SHELL', summary: `One of ${SHELLS.join(', ')}`, values: SHELLS }],
    options: [],
    examples: [
      'eval "$(keyslot completion bash)"',
      'eval "$(keyslot completion zsh)"',
      'keyslot completion fish > ~/.config/fish/completions/keyslot.fish',
    ],
  },
  {
    name: 'help',
    group: 'This command line',
    summary: 'List the commands, or explain one',
    args: [
      { name: 'COMMAND', summary: 'Command or group of commands, such as keys create', isOptional: true },
    ],
    options: [],
    examples: ['keyslot help', 'keyslot help keys create', 'keyslot keys create --help'],
  },
  {
    name: 'version',
    group: 'This command line',
    summary: 'Print the version of Keyslot',
    args: [],
    options: [],
    examples: ['keyslot version', 'keyslot --version'],
  },
] as const satisfies readonly CommandSpec[];
