import type { CommandSpec } from './command-spec.ts';
import { ACCOUNT_COMMANDS } from './commands/accounts.ts';
import { AUDIT_COMMANDS } from './commands/audit.ts';
import { BACKUP_COMMANDS } from './commands/backups.ts';
import { BILLING_COMMANDS } from './commands/billing.ts';
import { LINE_COMMANDS } from './commands/command-line.ts';
import { KEY_STORAGE_COMMANDS } from './commands/key-storage.ts';
import { KEY_COMMANDS } from './commands/keys.ts';
import { MEMBER_COMMANDS } from './commands/members.ts';
import { SERVER_COMMANDS } from './commands/servers.ts';
import { SERVICE_LEVEL_COMMANDS } from './commands/service-level.ts';
import { WALLET_COMMANDS } from './commands/wallet-service.ts';
import { WEBHOOK_COMMANDS } from './commands/webhooks.ts';

// The table of commands, the source of help, parsing and completion. The compiler shows where to run a new command.
/** Every command, in the order of help. */
export const COMMANDS = [
  ...SERVER_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...KEY_COMMANDS,
  ...MEMBER_COMMANDS,
  ...WALLET_COMMANDS,
  ...BILLING_COMMANDS,
  ...AUDIT_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...SERVICE_LEVEL_COMMANDS,
  ...KEY_STORAGE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...LINE_COMMANDS,
] as const satisfies readonly CommandSpec[];

/** The name of a command, such as `keys create`. */
export type CommandName = (typeof COMMANDS)[number]['name'];

/** A command with its name as one of the table. */
export type Command = CommandSpec & { readonly name: CommandName };

/** The commands of the table. */
export const ALL_COMMANDS: readonly Command[] = COMMANDS;

/** Returns the command that the first words name, and how many words that takes; undefined for an unknown command. */
export function findCommand(
  words: readonly string[],
): { readonly command: Command; readonly wordCount: number } | undefined {
  const [first = '', second = ''] = words;
  const command = ALL_COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  return command && { command, wordCount: command.name.split(' ').length };
}

/** The commands of a group: `keys create`, `keys list` … of `keys`. Empty for an unknown group. */
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
