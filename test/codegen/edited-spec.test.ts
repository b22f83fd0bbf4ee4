import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { pathHere } from './fixture.ts';

/** To generate everything takes ten seconds of a core. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 240_000 });

const run = promisify(execFile);
const MAIN = pathHere('../../codegen/main.ts');
const METHOD = 'ledger/methods/getSignatureStatuses.yaml';

let folder = '';
const inFolder = (path: string): string => join(folder, path);
const generateInto = (out: string) =>
  run(process.execPath, [MAIN, '--spec', inFolder('spec'), '--out', inFolder(out)]);
const listFiles = async (out: string): Promise<readonly string[]> =>
  (await readdir(inFolder(out), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(inFolder(out).length + 1));

/** What checkParams of a generated folder answers, in a process of its own. */
const checkIn = async (out: string, count: number): Promise<unknown> => {
  const script = `import { checkParams } from ${JSON.stringify(inFolder(`${out}/ledger/params.ts`))};
    console.log(JSON.stringify(checkParams('getSignatureStatuses', [Array(${count}).fill('1'.repeat(64))]) ?? null));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edited-spec-'));
  await cp(pathHere('../../spec'), inFolder('spec'), { recursive: true });
  await generateInto('before');
  const text = await readFile(inFolder(`spec/${METHOD}`), 'utf8');
  await writeFile(inFolder(`spec/${METHOD}`), text.replace('maxItems: 256', 'maxItems: 255'));
  await generateInto('after');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a limit lowered in the spec', () => {
  it('changes validator, types, client, document, reference and contract, and nothing else', async () => {
    const changed = [];
    for (const path of await listFiles('after')) {
      const [before, after] = await Promise.all(
        ['before', 'after'].map((out) => readFile(inFolder(`${out}/${path}`), 'utf8')),
      );
      if (before !== after) changed.push(path);
    }
    expect(changed.sort()).toEqual([
      'docs/ledger/getSignatureStatuses.md',
      'ledger/client.ts',
      'ledger/limits.ts',
      'ledger/openapi.json',
      'ledger/openrpc.json',
      'ledger/params/getSignatureStatuses.js',
      'ledger/types.ts',
      'test/ledger/contract/getSignatureStatuses.ts',
    ]);
  });

  it('is enforced at once', async () => {
    expect(await checkIn('before', 256)).toBeNull();
    expect(await checkIn('before', 257)).toMatchObject({
      error: 'tooManyInputs',
      context: { limit: 256, value: 257 },
    });
    expect(await checkIn('after', 255)).toBeNull();
    expect(await checkIn('after', 256)).toEqual({
      error: 'tooManyInputs',
      context: { parameter: 'signatures', limit: 255, value: 256 },
    });
  });

  it('is stated with its new value', async () => {
    const read = (path: string): Promise<string> => readFile(inFolder(`after/${path}`), 'utf8');
    expect(await read('docs/ledger/getSignatureStatuses.md')).toContain('at most 255 items');
    expect(await read('ledger/client.ts')).toContain('signatures: at most 255 items (tooManyInputs)');
    expect(await read('ledger/types.ts')).toContain('signatures: at most 255 items (tooManyInputs)');
    expect(await read('test/ledger/contract/getSignatureStatuses.ts')).toContain(
      'Too many inputs provided; max 255',
    );
  });
});
