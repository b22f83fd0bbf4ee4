import { readMockOptions, runMock } from '../devkit/mock/main.ts';
import type { OptionValues } from './read-arguments.ts';

/**
 * `keyslot mock`: the mocks of the services, until SIGTERM or SIGINT.
 *
 * @returns the exit code.
 * @throws ServiceError with the mistake in the options, or the reason why it cannot listen.
 */
export async function mock(options: OptionValues): Promise<number> {
  return await runMock(readMockOptions(options));
}
