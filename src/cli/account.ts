import type { AccountCommand } from './account-commands.ts';
import { describeAccount } from './account-text.ts';
import { askServer } from './ask-server.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot tokens …`, `credit`, `billing`, `balance`, `wallet-limit`, `wallet-use-limit`, `two-factor …` and `audit verify`: by the running server of
 * the data directory, at once; where none runs, in its store.
 *
 * @returns the exit code: 1 for an audit log that is not sound, else 0.
 * @throws ServiceError what is wrong with the command, or keeps it from being done.
 */
export async function account({ request, options }: AccountCommand, terminal: Terminal): Promise<number> {
  const describe = (result: unknown): string => describeAccount(request.kind, result);
  const result = await askServer(options, terminal, { request, describe });
  const isUnsound = typeof result === 'object' && result !== null && 'is_sound' in result && !result.is_sound;
  return isUnsound ? 1 : 0;
}
