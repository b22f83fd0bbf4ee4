import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ALL_COMMANDS } from '../../src/cli/find-command.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { readOperateBlock } from '../support/operate-blocks.ts';
import { readDeployFile, readUnit } from './deploy-files.ts';

const directory = useNewDirectory('group');
const at = (name: string): string => join(directory(), name);
const CONFIG = ['--config', '/etc/keyslot/keyslot.yaml'];
const NODE = '/usr/bin/node';

beforeAll(() => {
  writeFileSync(
    at('environment'),
    '# a note\nKEYSLOT_DATABASE_URL=postgres://a:b@c/d?e=f&g=h i\n\nKEYSLOT_LOG_LEVEL=warn',
  );
  // Prints what it was started with.
  const program = '#!/bin/sh\nenv | grep ^KEYSLOT_\nprintf "%s\\n" -- "$@"\n';
  for (const name of ['node', 'docker']) writeFileSync(at(name), program, { mode: 0o755 });
});

function run(shell: string, script: string, args: readonly string[]): readonly string[] {
  const env = { PATH: `${directory()}:${process.env.PATH}` };
  const { stdout, stderr } = spawnSync(shell, ['-c', script, 'keyslot', ...args], {
    encoding: 'utf8',
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(stderr).toBe('');
  return stdout.trimEnd().split('\n');
}

describe.each([
  [
    'on the host',
    (args: readonly string[]) => {
      const script = readDeployFile('keyslot')
        .replaceAll('/etc/keyslot/environment', at('environment'))
        .replaceAll(NODE, at('node'));
      return run('sh', script, args);
    },
  ],
  [
    'in a container',
    (args: readonly string[]) => {
      const [functions = ''] = readOperateBlock('keyslot() {').split('\nkeyslot gateway-1 doctor');
      return run('bash', `set -eu\n${functions}\nkeyslot gateway-1 "$@"`, args);
    },
  ],
])('the command line %s', (_, runCommand) => {
  const argumentsOf = (args: readonly string[]): readonly string[] => {
    const lines = runCommand(args);
    return lines.slice(lines.indexOf('/opt/keyslot/node_modules/keyslot/src/main.js') + 1);
  };

  test('gives the configuration file to every command that takes one, and to no other', () => {
    for (const { name, options } of ALL_COMMANDS) {
      const args = [...name.split(' '), 'a b'];
      const takesConfig = options.some((option) => option.name === 'config');
      expect(argumentsOf(args)).toEqual(takesConfig ? [...args, ...CONFIG] : args);
    }
  });

  test.each(['', '--help', '-h', '--version', 'help'])('gives none to: keyslot %s', (line) => {
    const args = line === '' ? [] : [line];
    expect(argumentsOf(args)).toEqual(args);
  });
});

test('the command line on the host has the settings of the service', () => {
  const script = readDeployFile('keyslot')
    .replaceAll('/etc/keyslot/environment', at('environment'))
    .replaceAll(NODE, at('node'));
  const pairs = readUnit('keyslot.service').Service?.Environment?.flatMap((line) => line.split(' ')) ?? [];
  const settings = pairs.filter((pair) => pair.startsWith('KEYSLOT_'));
  expect(run('sh', script, ['keys', 'list'])).toEqual(
    expect.arrayContaining([
      ...[...settings, 'KEYSLOT_DATABASE_URL=postgres://a:b@c/d?e=f&g=h i', 'KEYSLOT_LOG_LEVEL=warn'],
    ]),
  );
});
