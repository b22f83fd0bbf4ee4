import { COMMAND_GROUPS } from './command-spec.ts';
import { ALL_COMMANDS, commandsOf } from './find-command.ts';
import { definitionList } from './wrap-text.ts';

/** The help on all commands: one line each. */
export function shortHelp(): string {
  const width = Math.max(...ALL_COMMANDS.map(({ name }) => name.length));
  const groups = COMMAND_GROUPS.map((group) => {
    const commands = ALL_COMMANDS.filter((command) => command.group === group);
    return `${group}:\n${definitionList(commands.map(({ name, summary }) => [name.padEnd(width), summary]))}`;
  });
  return `Keyslot: a self-hosted Solana provider

Usage: keyslot COMMAND [ARGUMENTS] [OPTIONS]

${groups.join('\n')}
keyslot help COMMAND explains a command with its options and examples.
`;
}

/** The help on a group of commands, such as `keys`: one line each. */
export function groupHelp(group: string): string {
  const commands = commandsOf(group);
  return `Usage: keyslot ${group} SUBCOMMAND [ARGUMENTS] [OPTIONS]

${definitionList(commands.map(({ name, summary }) => [name, summary]))}
keyslot help ${group} SUBCOMMAND explains a command with its options and examples.
`;
}
