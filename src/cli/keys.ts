import { serviceError } from '../base/service-error.ts';
import { askServer } from './ask-server.ts';
import { parseDuration } from './duration.ts';
import type { KeysCommand } from './keys-options.ts';
import { describeKeys } from './keys-text.ts';
import type { Terminal } from './terminal.ts';

/**
 * `keyslot keys …`: by the running server of the data directory, at once; where none runs, in its store.
 *
 * @throws ServiceError what is wrong with the command, or keeps it from being done.
 */
export async function keys({ action, id, options }: KeysCommand, terminal: Terminal): Promise<void> {
  const { name, account, origin: origins, cidr: cidrs, overlap } = options;
  const overlapMs = readOverlap(overlap);
  const request = { kind: `keys.${action}`, id, name, account, overlapMs, rules: { origins, cidrs } };
  await askServer(options, terminal, { request, describe: (result) => describeKeys(action, result) });
}

function readOverlap(overlap: unknown): number | undefined {
  if (typeof overlap !== 'string') return undefined;
  const overlapMs = parseDuration(overlap);
  if (overlapMs !== undefined) return overlapMs;
  throw serviceError('invalidCommand', {
    reason: `--overlap is ${JSON.stringify(overlap)}; must be such as 90s, 30m, 24h or 7d`,
  });
}
