import { expect, test } from 'vitest';
import { readMockOptions } from '../../../src/devkit/mock/mock-options.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { startNode } from '../../support/node-process.ts';

test('the wallet mock ends with its parent, however that went', async () => {
  const keyslot = startNode(['src/main.ts', 'mock', '--port', '0', '--json'], {});
  try {
    const url = await eventually(
      'both are ready',
      () => /"wallets_url":"([^"]+)"/.exec(keyslot.stdout())?.[1],
    );
    expect((await fetch(`${url}/v1/wallets/w_1`)).status).toBe(401);
    process.kill(keyslot.pid, 'SIGKILL');
    const refused = async () =>
      await fetch(url).then(
        () => undefined,
        () => true,
      );
    expect(await eventually('the port is free again', refused)).toBe(true);
  } finally {
    await keyslot.stop();
  }
});

test.each([
  [{}, 8899, 8900],
  [{ port: '9000' }, 9000, 9001],
  [{ port: '0' }, 0, 0],
  [{ port: '65535' }, 65_535, 0],
  [{ 'wallets-port': '4010' }, 8899, 4010],
])('%o: the ledger at %i, the wallet service at %i', (options, port, walletsPort) => {
  expect(readMockOptions(options)).toMatchObject({ port, walletsPort });
});
