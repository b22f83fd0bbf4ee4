import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completionScript } from '../../src/cli/completion/completion.ts';
import { SHELLS } from '../../src/cli/commands/command-line.ts';
import { ALL_COMMANDS, firstWords } from '../../src/cli/find-command.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { useCommands } from './use-commands.ts';

const { run } = useCommands();
const directory = useNewDirectory();

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).error === undefined;
const hasBash = isInstalled('bash');

/** The completions that bash offers at the end of each line. */
function offeredByBash(...lines: readonly string[]): readonly (readonly string[])[] {
  const calls = lines.map((line) => {
    const text = `'${line}'`;
    return `COMP_LINE=${text} COMP_POINT=${line.length} COMPREPLY=(); _keyslot; echo "\${COMPREPLY[*]}"`;
  });
  const script = `${completionScript('bash')}\ncd '${directory()}'\n${calls.join('\n')}\n`;
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').filter(Boolean));
}

test.each(SHELLS)('completion %s prints a script', async (shell) => {
  const { end, stdout, stderr } = await run('completion', shell);
  expect([end, stderr, stdout]).toEqual(['exit code 0', '', completionScript(shell)]);
});

test('a shell without a script is a mistake that names the others', async () => {
  const { end, stdout, stderr } = await run('completion', 'tcsh');
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain('expected one of bash, zsh, fish, got "tcsh"');
});

test.each(SHELLS)('the script for %s is read by that shell without an error', (shell) => {
  if (!isInstalled(shell)) return;
  const { status, stderr } = spawnSync(shell, ['-n'], { input: completionScript(shell), encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

test.each(SHELLS)('the script for %s has every command and option', (shell) => {
  const script = completionScript(shell);
  for (const { name, options } of ALL_COMMANDS) {
    expect(script).toContain(name);
    for (const option of options)
      expect(script).toContain(shell === 'fish' ? `-l ${option.name} ` : `--${option.name}`);
  }
});

test.skipIf(!hasBash)('bash offers commands, subcommands and the options of each command', () => {
  expect(
    offeredByBash('keyslot ', 'keyslot ke', 'keyslot keys ', 'keyslot keys r', 'keyslot keys ro'),
  ).toEqual([
    [...firstWords(), '--help'],
    ['keys'],
    ['create', 'list', 'update', 'rotate', 'revoke', '--help'],
    ['rotate', 'revoke'],
    ['rotate'],
  ]);
  const offered = offeredByBash(...ALL_COMMANDS.map(({ name }) => `keyslot ${name} --`));
  expect(offered).toEqual(
    ALL_COMMANDS.map(({ options }) => [...options.map(({ name }) => `--${name}`), '--help']),
  );
});

test.skipIf(!hasBash)('bash offers the values of options and arguments, as far as they are fixed', () => {
  expect(
    offeredByBash(
      'keyslot usage --by m',
      'keyslot usage --by=m',
      'keyslot usage --account acme --by d',
      'keyslot completion ',
      'keyslot keys create --name ',
      'keyslot tokens create --scope wallets:c',
      'keyslot tokens create --scope=wallets:c',
      'keyslot tokens create --scope w',
    ),
  ).toEqual([
    ['method', 'minute'],
    ['method', 'minute'],
    ['day'],
    ['bash', 'zsh', 'fish', '--help'],
    [],
    ['create'],
    ['create'],
    ['wallets:create', 'wallets:read', 'wallets:sign', 'wallets:destroy', 'webhooks:manage'],
  ]);
});

test.skipIf(!hasBash)('bash offers files and directories where an option takes them', () => {
  writeFileSync(join(directory(), 'keyslot.yaml'), '');
  mkdirSync(join(directory(), 'kept'));
  expect(offeredByBash('keyslot serve --config key', 'keyslot nodes --data-dir k')).toEqual([
    ['keyslot.yaml'],
    ['kept'],
  ]);
});
