import { expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { shortHelp } from '../../src/cli/help-page.ts';
import { useCommands } from './use-commands.ts';

const { runAlone } = useCommands();

test.each([
  [['fly'], 'unknown command "fly"'],
  [['serve', '--fly'], '--fly'],
  [['serve', 'extra'], 'extra'],
  [['localnet', '--http-port', '1'], '--http-port'],
])('%j is a mistake: exit code 2 and a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await runAlone(args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});

test('a variable that is no setting is told once, and what is printed stays as it is', async () => {
  const { stdout, stderr } = await runAlone(['doctor', '--json'], { KEYSLOT_HTP_PORT: '3' });
  expect(stderr).toBe(
    'keyslot: KEYSLOT_HTP_PORT is not a setting and has no effect; did you mean KEYSLOT_HTTP_PORT?\n',
  );
  expect(JSON.parse(stdout)).toMatchObject({ findings: expect.any(Array) });
  expect((await runAlone(['completion', 'bash'], { KEYSLOT_HTP_PORT: '3' })).stderr).toBe('');
});

test('help and the page of a command are printed, and exit with 0', async () => {
  const [short, page] = [await runAlone(['help']), await runAlone(['keys', 'create', '--help'])];
  expect([short.end, short.stderr, short.stdout]).toEqual(['exit code 0', '', shortHelp()]);
  expect([page.end, page.stderr]).toEqual(['exit code 0', '']);
  expect(page.stdout).toMatch(/^Usage: keyslot keys create \[OPTIONS\]\n/);
});

test('version prints the version of package.json', async () => {
  const { end, stdout } = await runAlone(['--version']);
  expect([end, stdout]).toEqual(['exit code 0', `keyslot ${manifest.version}\n`]);
});
