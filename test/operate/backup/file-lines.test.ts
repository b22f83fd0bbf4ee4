import { appendFileSync, readFileSync, writeFileSync, writeSync, openSync, closeSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { fileLines } from '../../../src/operate/backup/dump-lines.ts';
import { useNewDirectory } from '../../support/new-directory.ts';

const directory = useNewDirectory();
const PART_BYTES = 512 * 1024;

/** The bytes that a backup has of a file. */
async function copyOf(path: string, more: object = {}): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const { data } of fileLines({ path, name: 'f', ...more }))
    parts.push(Buffer.from(data, 'base64'));
  return Buffer.concat(parts);
}

test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 7])(
  'a file of %i bytes is copied as it is',
  async (size) => {
    const path = join(directory(), 'whole');
    writeFileSync(path, Buffer.alloc(size, 'line\n'));
    expect((await copyOf(path)).equals(readFileSync(path))).toBe(true);
    const lines = await copyOf(path, { isLines: true });
    expect([lines.length, lines.equals(readFileSync(path).subarray(0, lines.length))]).toEqual([
      size - (size % 5),
      true,
    ]);
  },
);

test('a record whose entries are written while it is copied has those that its front counts', async () => {
  const path = join(directory(), 'counted');
  writeFileSync(path, Buffer.of(1, 7));
  const handle = await open(path);
  const handles = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const stat = handles.stat;
  using _ = vi.spyOn(handles, 'stat').mockImplementation(async function (this: typeof handle) {
    const found = await stat.call(this);
    addEntry(path);
    return found;
  } as typeof stat);
  const copied = await copyOf(path);
  expect(readFileSync(path)[0]).toBeGreaterThan(1);
  expect(copied.length - 1).toBeGreaterThanOrEqual(copied[0] ?? 0);
});

/** The entry first, then the number of entries at the front. */
function addEntry(path: string): void {
  appendFileSync(path, Buffer.of(7));
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.of(readFileSync(path).length - 1), 0, 1, 0);
  closeSync(file);
}
