import { readLocalnetOptions, runLocalnet } from '../localnet/main.ts';
import type { OptionValues } from './commands.ts';

/**
 * `keyslot localnet`: the embedded ledger alone, until SIGTERM or SIGINT.
 *
 * @throws ServiceError what is wrong with the options, or keeps it from listening.
 */
export async function localnet(options: OptionValues): Promise<void> {
  await runLocalnet(readLocalnetOptions(options));
}
