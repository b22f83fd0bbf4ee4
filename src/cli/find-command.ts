import type { CommandSpec } from './command-spec.ts';
import { type CommandName, COMMANDS } from './command-table.ts';

/** A command with its name as one of the table. */
export type Command = CommandSpec & { readonly name: CommandName };

/** The commands of the table. */
export const ALL_COMMANDS: readonly Command[] = COMMANDS;

/** The command that the first words name, and how many of them it takes; undefined if they name none. */
export function findCommand(
  words: readonly string[],
): { readonly command: Command; readonly wordCount: number } | undefined {
  const [first = '', second = ''] = words;
  const command = ALL_COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  return command && { command, wordCount: command.name.split(' ').length };
}

/** The commands of a group: `keys create`, `keys list` … of `keys`. Empty if there is no such group. */
export function commandsOf(group: string): readonly Command[] {
  return ALL_COMMANDS.filter(({ name }) => name.startsWith(`${group} `));
}

/** The first words of all commands: groups and commands of one word, in the order of the table. */
export function firstWords(): readonly string[] {
  return [...new Set(ALL_COMMANDS.map(({ name }) => name.split(' ')[0] ?? name))];
}

/** The subcommands of a group: `create`, `list` … of `keys`. */
export function subcommandsOf(group: string): readonly string[] {
  return commandsOf(group).map(({ name }) => name.slice(group.length + 1));
}
