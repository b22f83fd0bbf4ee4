import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Files, mergeFiles } from '../../codegen/area.ts';
import { AREAS } from '../../codegen/areas.ts';
import { formatFiles } from '../../codegen/format.ts';
import { loadSources, type Sources } from '../../codegen/load.ts';
import { pathHere } from './fixture.ts';
import { SPEC, specSources } from './spec.ts';

const run = promisify(execFile);
const METHOD = 'ledger/methods/getSignatureStatuses.yaml';

/** Of the spec as it is; `make check` holds it against the spec. */
const BEFORE = pathHere('../../generated');

/** The texts of all areas, before they are formatted. `make check` lints the spec as it is. */
const render = (sources: Sources): Files => mergeFiles(AREAS.map((area) => area.render(sources)));

let folder = '';
let before: Files = {};

/** The files that are other than before after one text in one document of the spec was replaced, formatted. */
const changedBy = async (name: string, file: string, [text, other]: readonly [string, string]) => {
  const spec = join(folder, name);
  await cp(SPEC, spec, { recursive: true });
  const written = await readFile(join(spec, file), 'utf8');
  expect(written).toContain(text);
  await writeFile(join(spec, file), written.replace(text, other));
  const { sources, problems } = loadSources(spec, AREAS);
  expect(problems).toEqual([]);
  const after = render(sources);
  expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort());
  return formatFiles(
    Object.fromEntries(Object.entries(after).filter(([path, content]) => content !== before[path])),
  );
};

/** The answer of a generated folder's checkParams, in a process of its own. */
const checkIn = async (out: string, count: number): Promise<unknown> => {
  const script = `import { checkParams } from ${JSON.stringify(join(out, 'ledger/params.ts'))};
    console.log(JSON.stringify(checkParams('getSignatureStatuses', [Array(${count}).fill('1'.repeat(64))]) ?? null));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout);
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edited-spec-'));
  await symlink(pathHere('../../runtime'), join(folder, 'runtime'));
  before = render(specSources());
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a limit lowered in the spec', () => {
  let changed: Files = {};
  let after = '';
  beforeAll(async () => {
    changed = await changedBy('ledger', METHOD, ['maxItems: 256', 'maxItems: 255']);
    after = join(folder, 'out');
    await cp(BEFORE, after, { recursive: true });
    for (const [path, text] of Object.entries(changed)) await writeFile(join(after, path), text);
  });

  it('changes validator, types, document, reference and contract, and nothing else', async () => {
    expect(Object.keys(changed).sort()).toEqual([
      'contract/ledger/contract/getSignatureStatuses.ts',
      'docs/ledger/getSignatureStatuses.md',
      'ledger/limits.ts',
      'ledger/openrpc/getSignatureStatuses.json',
      'ledger/params/getSignatureStatuses.js',
      'ledger/types.ts',
      'reference/pages/ledger/getSignatureStatuses.html',
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

  it('is stated with its new value', () => {
    const read = (path: string): string | undefined => changed[path];
    expect(read('docs/ledger/getSignatureStatuses.md')).toContain('at most 255 items');
    expect(read('ledger/types.ts')).toContain('signatures: at most 255 items (tooManyInputs)');
    expect(read('contract/ledger/contract/getSignatureStatuses.ts')).toContain(
      'Too many inputs provided; max 255',
    );
  });
});

it('has each limit of a plan in one place: what follows from it changes, and nothing else', async () => {
  const changed = await changedBy('wallets', 'plans.yaml', ['maximum: 10000', 'maximum: 9999']);
  expect(Object.keys(changed).sort()).toEqual([
    'contract/wallets/contract/createWalletBatch.ts',
    'docs/wallets/createWalletBatch.md',
    'plans.ts',
    'reference/pages/wallets/createWalletBatch.html',
    'wallets/bodies/createWalletBatch.js',
    'wallets/openapi.json',
  ]);
});
