import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AREAS } from '../../codegen/areas.ts';
import { formatFiles } from '../../codegen/format.ts';
import { generate } from '../../codegen/generate.ts';
import type { Json } from '../../codegen/json.ts';
import { findDrift, writeFiles } from '../../codegen/write.ts';
import { parseYaml } from '../../codegen/yaml.ts';
import { pathHere } from './fixture.ts';
import { specSources } from './spec.ts';

/** To generate everything takes ten seconds of a core. */

/** Of the spec as it is; `make check` holds it against the spec. */
const BEFORE = pathHere('../../generated');

/** Lines that one new method may change in files that were there. */
const MAX_CHANGED_LINES = 60;

/** A method with a limit, a config, examples, and a schema of its own. */
const METHOD = `name: getEpochRewards
summary: Rewards per address and epoch.
description: The newest epoch whose rewards are paid comes first.
tags: [fees]
x-origin: chosen
x-group: read
x-cost: 5
x-cache: none
params:
  - name: addresses
    description: Vote or stake accounts.
    required: true
    schema:
      type: array
      maxItems: 32
      x-errors: { maxItems: tooManyInputs }
      items: { $ref: ../schemas/Address.yaml }
  - name: config
    schema: { $ref: ../schemas/ContextConfig.yaml }
result:
  name: rewards
  description: One entry per address, in order.
  schema:
    type: array
    items: { $ref: ../schemas/EpochReward.yaml }
errors: [minContextSlotNotReached]
examples:
  - name: no addresses
    params: [[]]
    result: []
  - name: one address
    params: [['11111111111111111111111111111111'], { commitment: confirmed }]
    result: [{ epoch: 7, amount: 2500, postBalance: 499999997500, commission: null }]
  - name: not an address
    params: [[abc]]
    error: wrongSizeBase58
`;
const SCHEMA = `title: EpochReward
description: What an address earned in an epoch.
type: object
required: [epoch, amount, postBalance, commission]
additionalProperties: false
properties:
  epoch: { $ref: ./U64.yaml }
  amount: { $ref: ./Lamports.yaml }
  postBalance: { $ref: ./Lamports.yaml }
  commission:
    description: Percent, of a vote account; null elsewhere.
    anyOf: [{ type: 'null' }, { type: integer, x-int: u8 }]
`;

/** Lines that were added and removed. */
const changedLines = async (before: string, after: string): Promise<number> => {
  const args = ['diff', '--no-index', '--numstat', before, after];
  // Exit code 1: they differ.
  const numbers = await new Promise<string>((resolve) => execFile('git', args, (_, text) => resolve(text)));
  const [added, removed] = numbers.split('\t').map(Number);
  return (added ?? Number.NaN) + (removed ?? Number.NaN);
};

let folder = '';
let changed: readonly (readonly [string, number])[] = [];
let added: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'added-method-'));
  const sources = new Map<string, Json>(specSources())
    .set('ledger/methods/getEpochRewards.yaml', parseYaml(METHOD))
    .set('ledger/schemas/EpochReward.yaml', parseYaml(SCHEMA));
  const outcome = generate(sources, AREAS);
  if ('problems' in outcome) throw new Error(outcome.problems.map(({ message }) => message).join('\n'));
  const files = formatFiles(outcome.files);
  writeFiles(folder, files);
  const drift = findDrift(BEFORE, files).changed;
  const existing = drift.filter((path) => existsSync(join(BEFORE, path)));
  added = drift.filter((path) => !existing.includes(path));
  changed = await Promise.all(
    existing.map(async (path) => [path, await changedLines(join(BEFORE, path), join(folder, path))] as const),
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a method that is added', () => {
  it('has files of its own: validator, documents, reference, examples and contract', () => {
    expect(added).toEqual([
      'contract/ledger/contract/getEpochRewards.ts',
      'contract/ledger/results/getEpochRewards.ts',
      'docs/ledger/getEpochRewards.md',
      'docs/ledger/types/EpochReward.md',
      'ledger/examples/getEpochRewards.ts',
      'ledger/openrpc/getEpochRewards.json',
      'ledger/openrpc/schemas/EpochReward.json',
      'ledger/params/getEpochRewards.js',
      'reference/pages/ledger/getEpochRewards.html',
    ]);
  });

  it(`changes at most ${MAX_CHANGED_LINES} lines of the other files`, () => {
    const total = changed.reduce((sum, [, lines]) => sum + lines, 0);
    expect(total).toBeGreaterThan(0);
    expect(total, JSON.stringify(changed)).toBeLessThanOrEqual(MAX_CHANGED_LINES);
  });

  it('leaves the files of other methods as they were', () => {
    const shared = /^(docs\/ledger|ledger|contract\/ledger|reference\/(navigation|pages))\/[\w-]+\.\w+$/;
    expect(changed.filter(([path]) => !shared.test(path))).toEqual([]);
  });
});
