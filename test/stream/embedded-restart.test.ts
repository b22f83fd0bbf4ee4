import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient } from '../../generated/stream/package.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { eventually } from '../../src/base/eventually.ts';

let server: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '40', KEYSLOT_STREAM_POLL_MS: '20' } });
});
afterAll(() => server?.stop());

/** The process of the embedded ledger. */
const localnetPid = (): number => {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(server.pid)], { encoding: 'utf8' });
  const line = listed.split('\n').find((each) => each.includes('src/localnet/main.ts'));
  return Number(line?.trim().split(' ')[0]);
};

it('an embedded ledger that began anew ends its streams for good, and new ones begin with it', async () => {
  const client = createStreamClient({ url: server.grpcUrl, apiKey: server.apiKey });
  const stream = client.subscribe('slots');
  let last = 0n;
  for (let count = 0; count < 10; count++) last = (await stream.next()).value?.slot ?? last;
  process.kill(localnetPid(), 'SIGKILL');
  const ended = async (): Promise<unknown> => {
    for (;;) {
      const { value } = await stream.next();
      if (value === undefined) return undefined;
      expect(value.slot).toBeGreaterThan(last);
      last = value.slot;
    }
  };
  await expect(ended()).rejects.toMatchObject({ status: 'DATA_LOSS', error: 'ledgerChanged' });
  const anew = await eventually('the new ledger is streamed', async () => {
    const { value } = await client
      .subscribe('slots')
      .next()
      .catch(() => ({ value: undefined }));
    return value ?? undefined;
  });
  expect(anew.slot).toBeLessThan(last);
  client.close();
}, 60_000);
