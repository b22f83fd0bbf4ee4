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

/** Of the spec as it is; `make check` holds it against the spec. */
const BEFORE = pathHere('../../generated');

let folder = '';
/** What was generated of the spec after one text in one of its documents was replaced. */
const generateWith = async (name: string, file: string, [text, other]: readonly [string, string]) => {
  const [spec, out] = [join(folder, name, 'spec'), join(folder, name, 'out')];
  await cp(pathHere('../../spec'), spec, { recursive: true });
  const before = await readFile(join(spec, file), 'utf8');
  expect(before).toContain(text);
  await writeFile(join(spec, file), before.replace(text, other));
  await run(process.execPath, [MAIN, '--spec', spec, '--out', out]);
  return out;
};
const listFiles = async (out: string): Promise<readonly string[]> =>
  (await readdir(out, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(out.length + 1))
    .sort();
/** The files that are not as before. */
const changedIn = async (out: string): Promise<readonly string[]> => {
  const files = await listFiles(out);
  expect(files).toEqual(await listFiles(BEFORE));
  const texts = files.map((path) =>
    Promise.all([BEFORE, out].map((place) => readFile(join(place, path), 'utf8'))),
  );
  const pairs = await Promise.all(texts);
  return files.filter((_, at) => pairs[at]?.[0] !== pairs[at]?.[1]);
};

/** What checkParams of a generated folder answers, in a process of its own. */
const checkIn = async (out: string, count: number): Promise<unknown> => {
  const script = `import { checkParams } from ${JSON.stringify(join(out, 'ledger/params.ts'))};
    console.log(JSON.stringify(checkParams('getSignatureStatuses', [Array(${count}).fill('1'.repeat(64))]) ?? null));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edited-spec-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a limit lowered in the spec', () => {
  let after = '';
  beforeAll(async () => {
    after = await generateWith('ledger', METHOD, ['maxItems: 256', 'maxItems: 255']);
  });

  it('changes validator, types, document, reference and contract, and nothing else', async () => {
    expect(await changedIn(after)).toEqual([
      'docs/ledger/getSignatureStatuses.md',
      'ledger/limits.ts',
      'ledger/openapi/getSignatureStatuses.json',
      'ledger/openrpc/getSignatureStatuses.json',
      'ledger/params/getSignatureStatuses.js',
      'ledger/types.ts',
      'test/ledger/contract/getSignatureStatuses.ts',
    ]);
  });

  it('is enforced at once', async () => {
    expect(await checkIn(BEFORE, 256)).toBeNull();
    expect(await checkIn(BEFORE, 257)).toMatchObject({
      error: 'tooManyInputs',
      context: { limit: 256, value: 257 },
    });
    expect(await checkIn(after, 255)).toBeNull();
    expect(await checkIn(after, 256)).toEqual({
      error: 'tooManyInputs',
      context: { parameter: 'signatures', limit: 255, value: 256 },
    });
  });

  it('is stated with its new value', async () => {
    const read = (path: string): Promise<string> => readFile(join(after, path), 'utf8');
    expect(await read('docs/ledger/getSignatureStatuses.md')).toContain('at most 255 items');
    expect(await read('ledger/types.ts')).toContain('signatures: at most 255 items (tooManyInputs)');
    expect(await read('test/ledger/contract/getSignatureStatuses.ts')).toContain(
      'Too many inputs provided; max 255',
    );
  });
});

it('has each limit of a plan in one place: what follows from it changes, and nothing else', async () => {
  const after = await generateWith('wallets', 'plans.yaml', ['maximum: 10000', 'maximum: 9999']);
  expect(await changedIn(after)).toEqual([
    'docs/wallets/createWalletBatch.md',
    'plans.ts',
    'test/wallets/contract/createWalletBatch.ts',
    'wallets/bodies/createWalletBatch.js',
    'wallets/openapi.json',
  ]);
});
