import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../support/new-directory.ts';
import { useCommands } from './use-commands.ts';

const { run } = useCommands();
const directory = useNewDirectory();

function write(text: string): string {
  const path = join(directory(), 'keyslot.yaml');
  writeFileSync(path, text);
  return path;
}

test('people get a table', async () => {
  const file = write(
    "billing: { seller: \"A\\nB\" }\nhttp: { cors_origins: ['https://a.example', 'https://b.example'] }\n",
  );
  const { end, stdout, stderr } = await run(
    ...['config', 'show', '--config', file, '--grpc-port', '7'],
    ...[
      'http.cors_origins',
      'http.trusted_proxies',
      'http.port',
      'grpc.port',
      'database_url',
      'billing.seller',
    ],
  );
  expect([end, stderr]).toEqual(['exit code 0', '']);
  expect(stdout.replaceAll(file, 'FILE').split('\n')).toEqual([
    'SETTING               VALUE                                 SOURCE',
    'database_url          -                                     default',
    'http.port             0                                     KEYSLOT_HTTP_PORT',
    'http.trusted_proxies  []                                    default',
    'http.cors_origins     https://a.example, https://b.example  file FILE',
    'grpc.port             7                                     --grpc-port',
    'billing.seller        "A\\nB"                                file FILE',
    '',
  ]);
});

test('programs get one line of JSON', async () => {
  const { end, stdout } = await run('config', 'show', '--json', 'http.port');
  expect([end, stdout.split('\n').length]).toEqual(['exit code 0', 2]);
  expect(JSON.parse(stdout)).toEqual({
    settings: [{ setting: 'http.port', value: 0, source: 'environment', from: 'KEYSLOT_HTTP_PORT' }],
  });
});

test('mistakes of the settings are those of a start, and end with 2', async () => {
  const file = write('http: { portt: 1 }\n');
  const [shown, checked] = [
    await run('config', 'show', '--config', file),
    await run('serve', '--check', '--config', file),
  ];
  expect(shown).toEqual(checked);
  expect(shown).toMatchObject({ end: 'exit code 2', stdout: '' });
  expect(shown.stderr).toContain('http.portt is not a setting; did you mean http.port?');
});

test('a name that is no setting ends with 2', async () => {
  const { end, stderr } = await run('config', 'show', 'http.portt');
  expect([end, stderr]).toEqual([
    'exit code 2',
    'keyslot: config show: "http.portt" is not a setting; did you mean http.port?\n',
  ]);
});
