import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TRANSACTIONS = 'topics/transactions.proto';
const BLOCKS = 'topics/blocks.proto';
const SERVICE = 'keyslot/stream/v1/stream.proto';

let folder = '';
const protos = (): string => join(folder, 'stream');
const published = (): string => join(protos(), 'published.yaml');

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'published-'));
  await cp(join(ROOT, 'spec/stream'), protos(), { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Replaces text in a copied file. */
const edit = async (file: string, from: string | RegExp, to: string): Promise<void> => {
  const before = await readFile(join(protos(), file), 'utf8');
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await writeFile(join(protos(), file), after);
};

/** Runs a target of the Makefile on the copy, without the one that installs packages. */
const make = (target: string): Promise<{ readonly passed: boolean; readonly output: string }> =>
  new Promise((resolve) => {
    const args = ['--old-file=install', target, `PROTOS=${protos()}`, `PUBLISHED=${published()}`];
    execFile('make', args, { cwd: ROOT }, (error, stdout, stderr) =>
      resolve({ passed: error === null, output: stdout + stderr }),
    );
  });

const NEW_FIELD = '\n  // Something new.\n  // Example: "x"\n  optional string note = 100;\n}\n';
const addField = () => edit(TRANSACTIONS, /\n}\n$/, NEW_FIELD);

it('spec/stream as it is breaks nothing that is published', async () => {
  expect(await make('check-breaking')).toMatchObject({ passed: true });
});

const breaks: readonly (readonly [what: string, file: string, from: string | RegExp, to: string, RegExp])[] =
  [
    ['a field that is removed', TRANSACTIONS, 'uint64 fee = 5;', '', /"5".*"fee".*deleted/],
    ['a field that is removed, its number kept', TRANSACTIONS, 'uint64 fee = 5;', 'reserved 5;', /deleted/],
    ['another number', TRANSACTIONS, 'uint64 fee = 5;', 'uint64 fee = 50;', /"5".*"fee".*deleted/],
    ['another type', TRANSACTIONS, 'uint64 fee = 5;', 'uint32 fee = 5;', /type from "uint64" to "uint32"/],
    ['another type with the same wire form', TRANSACTIONS, 'bytes raw', 'string raw', /type from "bytes"/],
    ['another name', TRANSACTIONS, 'uint64 fee = 5;', 'uint64 cost = 5;', /name from "fee" to "cost"/],
    [
      'a field that is always there now',
      TRANSACTIONS,
      'optional string error',
      'string error',
      /"error".*(cardinality|oneof)/,
    ],
    ['a field that is a list now', TRANSACTIONS, 'bytes raw', 'repeated bytes raw', /cardinality/],
    ['a change inside a nested message', BLOCKS, 'sint64 lamports', 'int64 lamports', /Reward/],
    ['a call that is removed', SERVICE, /rpc GetTopicSchema.*\n/, '', /GetTopicSchema.*deleted/],
    ['another value in the enum', SERVICE, 'JSON = 1', 'TEXT = 1', /"JSON" to "TEXT"/],
    ['numbers that were left free', SERVICE, /reserved 3, 4;/, '', /reserved range/],
  ];

describe('the check fails on', () => {
  it.each(breaks)('%s', async (_, file, from, to, complaint) => {
    await edit(file, from, to);
    const { passed, output } = await make('check-breaking');
    expect(passed).toBe(false);
    expect(output).toContain(file);
    expect(output).toMatch(complaint);
    expect(output).toContain('add new fields beside it');
  });

  it('a topic that is removed', async () => {
    await rm(join(protos(), 'topics/slots.proto'));
    const { passed, output } = await make('check-breaking');
    expect(passed).toBe(false);
    expect(output).toMatch(/topics\/slots\.proto.*deleted/);
  });
});

it('a new field, a new topic and another comment pass', async () => {
  await addField();
  await edit(BLOCKS, 'The slot of the block.', 'Where the block stands.');
  const topic = await readFile(join(protos(), 'topics/slots.proto'), 'utf8');
  await writeFile(join(protos(), 'topics/marks.proto'), topic.replace('message Slot', 'message Mark'));
  expect(await make('check-breaking')).toMatchObject({ passed: true });
});

describe('make publish-streams', () => {
  it('publishes a new field: from then on it stays', async () => {
    await addField();
    expect(await make('publish-streams')).toMatchObject({ passed: true });
    await edit(TRANSACTIONS, NEW_FIELD, '\n}\n');
    const { passed, output } = await make('check-breaking');
    expect(passed).toBe(false);
    expect(output).toMatch(/"100".*"note".*deleted/);
  });

  it('publishes nothing that breaks what is published', async () => {
    const before = await readFile(published(), 'utf8');
    await edit(TRANSACTIONS, 'uint64 fee = 5;', 'uint32 fee = 5;');
    expect(await make('publish-streams')).toMatchObject({ passed: false });
    expect(await readFile(published(), 'utf8')).toBe(before);
  });
});
