import { readMockOptions, runMock } from '../mock/main.ts';
import type { OptionValues } from './commands.ts';

/**
 * `keyslot mock`: the mock ledger and the mock wallet service, until SIGTERM or SIGINT.
 *
 * @returns the exit code.
 * @throws ServiceError what is wrong with the options, or keeps it from listening.
 */
export async function mock(options: OptionValues): Promise<number> {
  return await runMock(readMockOptions(options));
}
