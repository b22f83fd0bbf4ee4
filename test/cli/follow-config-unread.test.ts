import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { Config } from '../../generated/config.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { followConfigFile } from '../../src/cli/serve-as-worker.ts';
import { useNewDirectory } from '../support/new-directory.ts';

const directory = useNewDirectory();

/** Follows a file as a worker that is started again does. */
function follow(load: () => Config) {
  const apply = vi.fn(() => ['http.port']);
  const [info, warn, error] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  const file = join(directory(), 'keyslot.yaml');
  followConfigFile({ file, load, apply, log: { info, warn, error }, isUnread: true })();
  return { apply, info, error };
}

test('a file that is not what runs is applied at once, and what needs a new start is named', () => {
  const changed = { data_dir: 'other' } as Config;
  const { apply, info } = follow(() => changed);
  expect(apply).toHaveBeenCalledWith(changed);
  expect(info).toHaveBeenCalledWith(
    expect.objectContaining({ needsRestart: ['http.port'] }),
    'configuration reloaded',
  );
});

test('a file with a mistake is refused at once, and the running configuration stays', () => {
  const { apply, error } = follow(() => {
    throw serviceError('invalidConfig', { problems: 'http.port must be a number' });
  });
  expect(apply).not.toHaveBeenCalled();
  expect(error).toHaveBeenCalledWith(
    expect.objectContaining({ problems: [expect.stringContaining('http.port must be a number')] }),
    'invalid configuration, keeping the running one',
  );
});
