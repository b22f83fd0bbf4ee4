import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pathHere } from './fixture.ts';

const MAIN = pathHere('../../codegen/main.ts');

let folder = '';
const inFolder = (path: string): string => join(folder, path);
const generate = (...options: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, '--spec', inFolder('spec'), '--out', inFolder('out'), ...options], {
    encoding: 'utf8',
  });

const filesOf = (out: string): readonly (readonly [string, string])[] =>
  readdirSync(inFolder(out), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(inFolder(out).length), readFileSync(path, 'utf8')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codegen-'));
  cpSync(pathHere('fixture'), inFolder('spec'), { recursive: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finds no drift right after it has written', () => {
  expect(generate().status).toBe(0);
  expect(generate('--check')).toMatchObject({ status: 0, stdout: '' });
});

it('lists changed, missing and stale files with --check, and touches none', () => {
  generate();
  appendFileSync(inFolder('out/errors.ts'), '// edited\n');
  rmSync(inFolder('out/ledger/types.ts'));
  writeFileSync(inFolder('out/ledger/left-over.ts'), '');
  const { status, stdout } = generate('--check');
  expect(status).toBe(1);
  expect(stdout.trim().split('\n').sort()).toEqual([
    'changed errors.ts',
    'changed ledger/types.ts',
    'stale ledger/left-over.ts',
  ]);
  expect(readFileSync(inFolder('out/errors.ts'), 'utf8')).toMatch(/\/\/ edited\n$/);
});

it('repairs exactly what differs', () => {
  generate();
  const before = statSync(inFolder('out/ledger/methods.ts')).mtimeMs;
  appendFileSync(inFolder('out/errors.ts'), '// edited\n');
  writeFileSync(inFolder('out/ledger/left-over.ts'), '');
  expect(generate().stdout.trim().split('\n').sort()).toEqual([
    'changed errors.ts',
    'stale ledger/left-over.ts',
  ]);
  expect(statSync(inFolder('out/ledger/methods.ts')).mtimeMs).toBe(before);
  expect(generate('--check').status).toBe(0);
});

it('names file, pointer and fault of a broken document, and writes nothing', () => {
  writeFileSync(inFolder('spec/ledger/schemas/Slot.yaml'), 'title: Slot\ntype: integer\n');
  writeFileSync(inFolder('spec/ledger/schemas/Thing.yaml'), 'title: [\n');
  const { status, stderr } = generate();
  expect(status).toBe(1);
  expect(stderr).toContain('ledger/schemas/Thing.yaml#: ');
  expect(stderr).toContain('(syntax)');
  expect(() => statSync(inFolder('out'))).toThrow(/ENOENT/);
});

it('writes the same wherever it is started', () => {
  generate();
  const elsewhere = spawnSync(process.execPath, [MAIN, '--spec', 'spec', '--out', './elsewhere/'], {
    cwd: folder,
  });
  expect(elsewhere.status).toBe(0);
  const check = spawnSync(process.execPath, [MAIN, '--spec', 'spec', '--out', inFolder('out'), '--check'], {
    cwd: folder,
  });
  expect(check.status).toBe(0);
  expect(filesOf('elsewhere')).toEqual(filesOf('out'));
});

it('writes nothing that makes code at run time', () => {
  generate();
  for (const [path, text] of filesOf('out'))
    expect([path, /\beval\(|\bnew Function\b/.test(text)]).toEqual([path, false]);
});
