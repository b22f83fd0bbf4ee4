// The table of commands: help, parsing and completion come from it. Where a new command is run, the compiler says.
import type { CommandSpec } from './command-spec.ts';
import { ACCOUNT_COMMANDS } from './commands/accounts.ts';
import { AUDIT_COMMANDS } from './commands/audit.ts';
import { BACKUP_COMMANDS } from './commands/backups.ts';
import { BILLING_COMMANDS } from './commands/billing.ts';
import { LINE_COMMANDS } from './commands/command-line.ts';
import { KEY_STORAGE_COMMANDS } from './commands/key-storage.ts';
import { KEY_COMMANDS } from './commands/keys.ts';
import { LAB_COMMANDS } from './commands/lab.ts';
import { MEMBER_COMMANDS } from './commands/members.ts';
import { SERVER_COMMANDS } from './commands/servers.ts';
import { SERVICE_LEVEL_COMMANDS } from './commands/service-level.ts';
import { WALLET_COMMANDS } from './commands/wallet-service.ts';
import { WEBHOOK_COMMANDS } from './commands/webhooks.ts';

/** Every command, in the order in which help lists them. */
export const COMMANDS = [
  ...SERVER_COMMANDS,
  ...LAB_COMMANDS,
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
