import { readLocalnetOptions, runLocalnet } from '../localnet/main.ts';
import type { OptionLists, OptionValues } from './read-arguments.ts';

/**
 * `keyslot localnet`: the embedded ledger alone, until SIGTERM or SIGINT.
 *
 * @throws ServiceError with the mistake in the options, or the reason why it cannot listen.
 */
export async function localnet(options: OptionValues, lists: OptionLists): Promise<void> {
  await runLocalnet(readLocalnetOptions(options, lists));
}
