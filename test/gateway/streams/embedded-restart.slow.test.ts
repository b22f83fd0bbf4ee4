import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient } from '../../../generated/stream/package.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { eventually } from '../../../src/core/eventually.ts';

const SETTINGS = { KEYSLOT_LOCALNET_SLOT_MS: '40', KEYSLOT_STREAM_POLL_MS: '20' };
let server: RunningKeyslot;
let keeping: RunningKeyslot;
beforeAll(async () => {
  server = await startKeyslot({ env: { ...SETTINGS, KEYSLOT_LOCALNET_EPHEMERAL: 'true' } });
  keeping = await startKeyslot({ env: SETTINGS });
});
afterAll(() => Promise.all([server?.stop(), keeping?.stop()]));

/** The process of the embedded ledger. */
const localnetPid = (of: RunningKeyslot): number => {
  const listed = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(of.pid)], { encoding: 'utf8' });
  const line = listed.split('\n').find((each) => each.includes('src/localnet/main.ts'));
  return Number(line?.trim().split(' ')[0]);
};

it('an embedded ledger that started again ends its streams for good, and new ones begin with it', async () => {
  const client = createStreamClient({ url: server.grpcUrl, apiKey: server.apiKey });
  const stream = client.subscribe('slots');
  let last = 0n;
  for (let count = 0; count < 10; count++) last = (await stream.next()).value?.slot ?? last;
  process.kill(localnetPid(server), 'SIGKILL');
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
});

it('an embedded ledger that is kept continues after a kill, and its streams miss no slot', async () => {
  const client = createStreamClient({ url: keeping.grpcUrl, apiKey: keeping.apiKey });
  const stream = client.subscribe('slots');
  const next = async (): Promise<bigint> => (await stream.next()).value?.slot ?? -1n;
  let last = await next();
  const killed = last + 10n;
  for (; last < killed + 30n; last += 1n) {
    expect(await next()).toBe(last + 1n);
    if (last === killed) process.kill(localnetPid(keeping), 'SIGKILL');
  }
  client.close();
});
