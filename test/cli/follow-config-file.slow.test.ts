import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { useCommands } from './use-commands.ts';

/** A test starts a server. */

const { directory, json, newNode, serve } = useCommands();

type Shown = { readonly networks: readonly { readonly nodes: readonly { readonly name: string }[] }[] };

const namesShown = async () => (await json<Shown>('nodes')).networks[0]?.nodes.map(({ name }) => name);

test('nodes of the file are used on SIGHUP and on change; a bad file is refused with every problem, and the running one stays', async () => {
  const [one, two] = [await newNode(), await newNode()];
  const file = join(directory(), 'keyslot.yaml');
  const write = (upstreams: unknown, more: object = {}) =>
    writeFileSync(file, JSON.stringify({ networks: [{ environment: 'devnet', upstreams }], ...more }));
  write([{ url: one.url, name: 'first' }]);
  const { server } = await serve({}, ['--config', file]);
  expect(await namesShown()).toEqual(['first']);

  write([
    { url: one.url, name: 'first' },
    { url: two.url, name: 'second' },
  ]);
  process.kill(server.pid, 'SIGHUP');
  await eventually('the second node is used', async () =>
    (await namesShown())?.includes('second') ? true : undefined,
  );

  write(
    [
      { url: 'ftp://node', name: 'third' },
      { url: two.url, weight: 0 },
    ],
    { upstream: { max_lag_ms: 1 } },
  );
  const refusal = await eventually('the file is refused', () =>
    server
      .stderr()
      .split('\n')
      .find((line) => line.includes('invalid configuration')),
  );
  for (const path of ['upstream.max_lag_ms', 'networks.0.upstreams.0.url', 'networks.0.upstreams.1.weight'])
    expect(refusal).toContain(path);
  expect(await namesShown()).toEqual(['first', 'second']);

  write([{ url: two.url, name: 'second' }], { shutdown_deadline_ms: 1_234 });
  await eventually('the first node is left', async () =>
    (await namesShown())?.join() === 'second' ? true : undefined,
  );
  expect(server.stderr()).toMatch(/"needsRestart":\["shutdown_deadline_ms"\]/);
  expect(server.ended()).toBeUndefined();
});
