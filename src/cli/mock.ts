import { readMockOptions, runMock } from '../mock/main.ts';
import type { OptionValues } from './commands.ts';

/**
 * `keyslot mock`: the mock ledger, until SIGTERM or SIGINT.
 *
 * @throws ServiceError what is wrong with the options, or keeps it from listening.
 */
export async function mock(options: OptionValues): Promise<void> {
  await runMock(readMockOptions(options));
}
