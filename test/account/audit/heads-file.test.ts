import { onTestFinished, expect, test } from 'vitest';
import { join } from 'node:path';
import type { AuditHead } from '../../../src/account/audit/audit-head.ts';
import { appendHeads, readHeads } from '../../../src/account/audit/heads-file.ts';
import { mountSmallDisk, SMALL_DISK_MISSING } from '../../support/small-disk.ts';

const HEAD: AuditHead = {
  accountId: '3f0c6c0e-6f6f-4f0e-9d57-0d5f8e6c0a11',
  seq: 1,
  atMs: 1_760_000_000_000,
  hash: new Uint8Array(32),
  publicKey: new Uint8Array(32),
  signature: new Uint8Array(64),
};
/** More lines than the room that a page leaves. */
const MANY = Array.from({ length: 100 }, () => HEAD);

test('a file of heads has no half line after the disk was full', async (context) => {
  const disk = mountSmallDisk(1);
  if (disk === undefined) return context.skip(SMALL_DISK_MISSING);
  onTestFinished(disk.unmount);
  const path = join(disk.path, 'heads.jsonl');
  await appendHeads(path, [HEAD]);
  disk.fill();
  await expect(appendHeads(path, MANY)).rejects.toThrow('ENOSPC');
  expect(await linesIn(path)).toEqual([true]);
  disk.makeRoom();
  await appendHeads(path, [HEAD]);
  expect(await linesIn(path)).toEqual([true, true]);
});

/** Of each line, whether it holds a head. */
async function linesIn(path: string): Promise<readonly boolean[]> {
  const found: boolean[] = [];
  for await (const { head } of readHeads(path)) found.push(head !== undefined);
  return found;
}
