import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, expect, test, vi } from 'vitest';
import { startLocalnet } from '../../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { keptLedger } from './kept-ledger.ts';

const write = fs.writeSync;
/** Replaces the export of `node:fs` where it is imported by name, too. */
const writeSync = vi.spyOn(fs, 'writeSync');
syncBuiltinESMExports();
afterEach(() => writeSync.mockReset());

const directory = useNewDirectory();
const CONFIRMED = { commitment: 'confirmed' } as const;

/** A system that takes a number of bytes at a time, and refuses more with the error of a full disk. */
function takes(bytes: number, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  writeSync.mockImplementation((file: number, data: unknown, at: unknown) => {
    if (left-- <= 0)
      throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC', syscall: 'write' });
    const from = typeof at === 'number' ? at : 0;
    const buffer = data as Uint8Array;
    return write(file, buffer, from, Math.min(bytes, buffer.length - from));
  });
}

test('a slot that the disk takes in parts is whole; after one that it does not take none follows', async () => {
  const first = await keptLedger(directory());
  const snapshot = first.ledger.take();
  takes(50);
  first.tick(2);
  const slot = await first.call('getSlot', CONFIRMED);
  takes(50, 1);
  expect(() => first.tick()).toThrow('ENOSPC');
  writeSync.mockReset();
  expect(() => first.tick()).toThrow('ENOSPC');
  expect(() => first.ledger.goTo(snapshot)).toThrow(
    'the state cannot be written to the folder of the ledger: ENOSPC',
  );
  await first.kill();
  const second = await keptLedger(directory());
  expect([second.damage, await second.call('getSlot', CONFIRMED)]).toEqual([[], slot]);
  second.tick();
  await second.kill();
});

test('one whose last slot cannot be written at its end says so', async () => {
  const localnet = await startLocalnet({ ledger: directory(), slotMs: 60_000 });
  takes(50, 1);
  await expect(localnet.close()).rejects.toThrow(`--ledger: ${directory()} cannot be written (ENOSPC)`);
});

test('a ledger whose slots are closed by calls ends with the error as well', async () => {
  const localnet = await startLocalnet({ ledger: directory(), slotMs: 60_000, cheatCodes: true });
  takes(50, 1);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'localnet_mine', params: [] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(localnet.rpcUrl, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ error: { code: -32_603 } });
  writeSync.mockReset();
  await expect(localnet.close()).rejects.toThrow(`--ledger: ${directory()} cannot be written (ENOSPC)`);
});
