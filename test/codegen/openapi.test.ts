import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METHODS } from '../../generated/ledger/methods.ts';
import { printJson } from '../../runtime/json.ts';
import { readDocument } from '../../runtime/read-document.ts';
import { pathHere } from './fixture.ts';

type Operation = {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly description: string;
  readonly responses: Readonly<Record<string, unknown>>;
};
type Document = {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, { readonly post: Operation }>>;
};

const GIVEN = Object.values(METHODS)
  .filter(({ origin }) => origin === 'given')
  .map(({ name }): string => name);
const document = readDocument(new URL('../../generated/ledger/openapi.json', import.meta.url)) as Document;
const text = printJson(document);
const operations = Object.entries(document.paths).map(([path, { post }]) => ({ path, ...post }));
const isGiven = ({ operationId }: Operation): boolean => GIVEN.includes(operationId);
const described = (name: string): string =>
  operations.find(({ operationId }) => operationId === name)?.description ?? '';

/** The headings of interface.md, section 4.1, each with the methods of its table. */
const groups = new Map(
  readFileSync(pathHere('../../docs/interface.md'), 'utf8')
    .split('### 4.2', 1)
    .flatMap((section) => section.split(/^\*\*(?=[A-Z])/m).slice(1))
    .map((part) => [
      part.slice(0, part.indexOf('**')),
      [...part.matchAll(/^\| ((?:get|is|minimum|request|send|simulate)\w+) \|/gm)].map(([, name]) => name),
    ]),
);

const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Readonly<Record<string, unknown>>)[step], document);

describe('openapi.json', () => {
  it('has every method once, at a path that ends in a fragment', () => {
    expect(operations.map(({ operationId }) => operationId)).toEqual(Object.keys(METHODS));
    for (const { path, operationId } of operations) expect(path).toBe(`/#${operationId}`);
  });

  it('groups the given methods as interface.md does', () => {
    expect(groups.size).toBe(6);
    expect(document.tags.slice(0, 6).map(({ name }) => name)).toEqual([...groups.keys()]);
    for (const [title, names] of groups) {
      const grouped = operations.filter((operation) => operation.tags[0] === title && isGiven(operation));
      expect([title, grouped.map(({ operationId }) => operationId)]).toEqual([title, names.sort()]);
    }
  });

  it('says limits, defaults, weights and errors in words', () => {
    expect(described('getBlocks')).toContain('at most 500,000 above startSlot (slotRangeTooLarge)');
    expect(described('getSlotLeaders')).toContain('at most 5,000');
    expect(described('getBalance')).toContain('Default: `"finalized"`');
    expect(described('getBlock')).toContain(`Weight in a plan: ${METHODS.getBlock.cost}.`);
    expect(described('requestAirdrop')).toContain('Refused on mainnet (airdropUnavailable).');
    expect(described('getBalance')).toContain('| `minContextSlotNotReached` | -32016 |');
  });

  it('has no escaped | in a table, which the viewer would take for the end of a cell', () => {
    expect(operations.filter(({ description }) => description.includes('\\|'))).toEqual([]);
  });

  it('tells the refusals of the gateway, and none of a path that no method has', () => {
    const { content } = at('/components/responses/Refused') as {
      readonly content: Readonly<Record<string, { readonly examples: Readonly<Record<string, unknown>> }>>;
    };
    const names = Object.keys(content['application/json']?.examples ?? {});
    expect(names).toEqual(expect.arrayContaining(['apiKeyMissing', 'apiKeyUnknown', 'bodyTooLarge']));
    expect(
      names.filter((name) => ['metricsLoopbackOnly', 'readOnlyPath', 'keyNotFound'].includes(name)),
    ).toEqual([]);
  });

  it('refers to nothing outside itself', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => String(reference));
    expect(references.length).toBeGreaterThan(300);
    for (const reference of new Set(references))
      expect([reference, at(reference.slice(1))]).not.toContain(undefined);
  });

  it('states no bound that a browser would round, and keeps our own keywords to itself', () => {
    expect(text).not.toMatch(/"(minimum|maximum)":-?\d{16}/);
    expect(text).not.toMatch(/"x-(int|expected|errors|lenient|base58)"/);
    expect(at('/components/schemas/U64')).toMatchObject({ type: 'integer', format: 'uint64' });
  });
});
