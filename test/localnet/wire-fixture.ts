import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../fixtures/ledger', import.meta.url));

/** A request and its answer as they are on the wire, with what stands for values that change. */
export type WireFixture = {
  readonly method: string;
  readonly name: string;
  /** Its purpose, and the source. */
  readonly comments: readonly string[];
  readonly request: string;
  readonly answer: string;
};

/** Text that stands for what no two ledgers have the same. */
const KINDS: Readonly<Record<string, string>> = {
  integer: '-?\\d+',
  number: '-?\\d+(?:\\.\\d+)?(?:e-?\\d+)?',
  base58: '[1-9A-HJ-NP-Za-km-z]+',
  base64: '[A-Za-z0-9+/]*=*',
  version: '\\d+\\.\\d+\\.\\d+[-.a-z0-9]*',
  /** Keyslot's addition to the error of a param: its name, its limit and its value. */
  parameter: '\\{[^{}]+\\}',
  address: '\\d+\\.\\d+\\.\\d+\\.\\d+:\\d+',
};
const KIND = /\\\{\\\{(\w+)\\\}\\\}/g;
const NAME = /\$([a-z]\w*)/gi;

/** Reads every `test/fixtures/ledger/<method>/*.io`. */
export function readWireFixtures(): readonly WireFixture[] {
  return readdirSync(ROOT).flatMap((method) =>
    readdirSync(join(ROOT, method)).map((file) => readFixture(method, file)),
  );
}

function readFixture(method: string, file: string): WireFixture {
  const lines = readFileSync(join(ROOT, method, file), 'utf8')
    .trimEnd()
    .split('\n');
  const startingWith = (mark: string): readonly string[] =>
    lines.filter((line) => line.startsWith(`${mark} `)).map((line) => line.slice(mark.length + 1));
  const [comments, requests, answers] = ['//', '>>', '<<'].map(startingWith);
  const [request = ''] = requests ?? [];
  const [answer = ''] = answers ?? [];
  return { method, name: file.replace(/\.io$/, ''), comments: comments ?? [], request, answer };
}

/** Puts what the scenario of the contract run has made in the place of each `$name`, the same in request and answer. */
export async function fill(
  { request, answer }: WireFixture,
  value: (name: string) => Promise<unknown>,
): Promise<Pick<WireFixture, 'request' | 'answer'>> {
  const names = [...new Set([...`${request}${answer}`.matchAll(NAME)].map(([, name = '']) => name))];
  const values = new Map(await Promise.all(names.map(async (name) => [name, await value(name)] as const)));
  const put = (text: string): string => text.replace(NAME, (_, name: string) => String(values.get(name)));
  return { request: put(request), answer: put(answer) };
}

/** The expression that an answer matches as a whole: `{{integer}}` and the like stand for a value of that kind. */
export function matcher(answer: string): RegExp {
  const escaped = answer.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return new RegExp(`^${escaped.replace(KIND, (_, kind: string) => expressionOf(kind))}$`);
}

function expressionOf(kind: string): string {
  const expression = KINDS[kind];
  if (expression === undefined) throw new Error(`there is no placeholder {{${kind}}}`);
  return expression;
}
