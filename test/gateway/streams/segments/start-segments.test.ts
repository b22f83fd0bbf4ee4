import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { startSegments } from '../../../../src/gateway/streams/segments/start-segments.ts';

/** A data directory with three files of 1,000 bytes, and a start with a bound. */
async function startWith(maxBytes: number) {
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-start-segments-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const folder = join(directory, 'segments', 'solana-localnet', 'genesis');
  await mkdir(folder, { recursive: true });
  for (const slot of [1, 2, 3])
    await writeFile(join(folder, `${String(slot).padStart(20, '0')}-00000000.blocks`), Buffer.alloc(1_000));
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const segments = startSegments({
    config: { data_dir: directory, grpc: { segments_bytes: maxBytes, max_block_bytes: 1_000 } } as never,
    registry: new Registry(),
    log: { info: () => undefined, warn: (said: object) => void warnings.push(said as never) },
  });
  return { directory, folder, warnings, segments };
}

test('a start deletes files beyond a bound that is lower now', async () => {
  const { folder } = await startWith(2_500);
  await eventually('one is deleted', async () => ((await readdir(folder)).length === 2 ? true : undefined));
});

test('a start that keeps no files any more says what is left, and deletes nothing', async () => {
  const { directory, folder, warnings, segments } = await startWith(0);
  await eventually('it is said', () => (warnings.length > 0 ? true : undefined));
  expect(warnings).toEqual([{ path: join(directory, 'segments'), bytes: 3_000 }]);
  expect([segments, (await readdir(folder)).length]).toEqual([undefined, 3]);
});
