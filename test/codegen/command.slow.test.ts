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
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { runCommand } from '../../codegen/command.ts';
import { pathHere } from './fixture.ts';

/** A start of the command takes three seconds of a core. */

const MAIN = pathHere('../../codegen/main.ts');
/** The fixture in `spec`, and in `out` what was generated of it. */
const generated = mkdtempSync(join(tmpdir(), 'codegen-'));

let folder = '';
const inFolder = (path: string): string => join(folder, path);
/** The command's output and end, in this process, where its modules are loaded already. */
const generateIn = (place: string, ...options: readonly string[]) => {
  const [printed, errors]: [string[], string[]] = [[], []];
  const status = runCommand(['--spec', join(place, 'spec'), '--out', join(place, 'out'), ...options], {
    print: (line) => void printed.push(`${line}\n`),
    printError: (line) => void errors.push(`${line}\n`),
  });
  return { status, stdout: printed.join(''), stderr: errors.join('') };
};
const generate = (...options: readonly string[]) => generateIn(folder, ...options);

const filesOf = (out: string): readonly (readonly [string, string])[] =>
  readdirSync(inFolder(out), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(inFolder(out).length), readFileSync(path, 'utf8')] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));

beforeAll(() => {
  cpSync(pathHere('fixture'), join(generated, 'spec'), { recursive: true });
  expect(generateIn(generated).status).toBe(0);
});

afterAll(() => rmSync(generated, { recursive: true, force: true }));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'codegen-'));
  cpSync(generated, folder, { recursive: true, preserveTimestamps: true });
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('finds no drift right after it has written', () => {
  expect(generate('--check')).toMatchObject({ status: 0, stdout: '' });
});

it('lists changed, missing and stale files with --check, and touches none', () => {
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
  rmSync(inFolder('out'), { recursive: true });
  writeFileSync(inFolder('spec/ledger/schemas/Slot.yaml'), 'title: Slot\ntype: integer\n');
  writeFileSync(inFolder('spec/ledger/schemas/Thing.yaml'), 'title: [\n');
  const { status, stderr } = generate();
  expect(status).toBe(1);
  expect(stderr).toContain('ledger/schemas/Thing.yaml#: ');
  expect(stderr).toContain('(syntax)');
  expect(() => statSync(inFolder('out'))).toThrow(/ENOENT/);
});

it('writes the same wherever it is started, and ends with 1 where it finds drift', () => {
  const elsewhere = spawnSync(process.execPath, [MAIN, '--spec', 'spec', '--out', './elsewhere/'], {
    cwd: folder,
  });
  expect(elsewhere.status).toBe(0);
  const check = () =>
    spawnSync(process.execPath, [MAIN, '--spec', 'spec', '--out', inFolder('out'), '--check'], {
      cwd: folder,
      encoding: 'utf8',
    });
  expect(filesOf('elsewhere')).toEqual(filesOf('out'));
  appendFileSync(inFolder('out/errors.ts'), '// edited\n');
  expect(check()).toMatchObject({ status: 1, stdout: 'changed errors.ts\n' });
});

it('writes nothing that makes code at run time', () => {
  for (const [path, text] of filesOf('out'))
    expect([path, /\beval\(|\bnew Function\b/.test(text)]).toEqual([path, false]);
});
