import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { useCommands } from './use-commands.ts';

const { runAlone } = useCommands();

test.each([
  [['fly'], 'there is no command "fly"'],
  [['serve', '--fly'], '--fly'],
  [['serve', 'extra'], 'extra'],
  [['localnet', '--http-port', '1'], '--http-port'],
])('%j is a mistake: exit code 2 and a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await runAlone(args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});

test('help names every command and setting, and exits with 0', async () => {
  const { end, stdout } = await runAlone(['help']);
  expect(end).toBe('exit code 0');
  for (const word of [
    'serve',
    'localnet',
    'mock',
    'contract',
    'keys create',
    'keys revoke',
    'signer rotate-master',
    'version',
    '--config',
    'KEYSLOT_UPSTREAM_URL',
  ])
    expect(stdout).toContain(word);
});

test('version prints the version of package.json', async () => {
  const { end, stdout } = await runAlone(['--version']);
  expect([end, stdout]).toEqual(['exit code 0', `keyslot ${manifest.version}\n`]);
});
