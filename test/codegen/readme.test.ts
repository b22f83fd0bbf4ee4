import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMON_SHAPE, CONFIG_SHAPE, METHOD_SHAPE, SUBSCRIPTION_SHAPE } from '../../codegen/lint/shapes.ts';
import { OPERATION_SHAPE, HEAD_SHAPE } from '../../codegen/lint/rest/shapes.ts';
import { SPEC, specSources, valueAt } from './spec.ts';

const text = readFileSync(join(SPEC, 'README.md'), 'utf8');
const sources = specSources();

/** The rows of the table of given statements: id, and the cell that says where it is carried. */
const rows = [...text.matchAll(/^\| (G-[\d.]+) \| .* \| (.*) \|$/gm)].map(
  ([, id = '', carried = '']) => [id, carried] as const,
);

/** The places that a cell names: `file`, `folder/` or `file#/pointer`, all below spec/. */
const placesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([a-z]+(?:\/[\w.]+)*(?:\.yaml(?:#[^`]*)?|\.proto|\/))`/g)].map(
    ([, place = '']) => place,
  );

/** The statements of the interface that leave something open, but for the one that leaves nothing to choose. */
const notShown = [
  ...readFileSync(join(SPEC, '../docs/interface.md'), 'utf8').matchAll(/[^.|\n]*: not shown/g),
]
  .map(([statement]) => statement.trim())
  .filter((statement) => !/Transition table|Named states/.test(statement));

/** Part of such a statement, and the beginning of the choice. */
const CHOICES: readonly (readonly [part: string, choice: string])[] = [
  ['Result object fields', '- **Results** of all methods'],
  ['Result payload', '- **Results** of all methods'],
  ['Field names of wallet records', '- **Where members stand.**'],
  ['Their parameters', '- **Subscriptions.**'],
  ['Address of the gRPC endpoint', '- **Access.** Their port'],
  ['are carried', '- **Where members stand.** `custody` and `count`'],
  ['field names for the six', 'the names of members'],
  ['Authentication of the gRPC', 'The API key is in the metadata'],
  ['The shape of a notification', 'the reply (the id), and the notifications'],
  ['The names of topics', 'The topics are `slots`'],
  ['Unsubscribe methods', 'their unsubscribe\n  calls'],
  ['configuration of the webhook', '### Webhooks\n\n- **Payload.**'],
  ['Its name and the list of its values', 'the problem (RFC 9457) with its `code`'],
  ['JSON-RPC error object', '- **JSON-RPC error object, codes, messages**'],
  ['numbers', '- **Plans**'],
  ['Deprecation and compatibility', '### Deprecation and compatibility\n\n- **REST**'],
];

const isThere = (place: string): boolean =>
  place.includes('#') ? valueAt(place, sources) !== undefined : existsSync(join(SPEC, place));

describe('spec/README.md', () => {
  it('lists the statements of the interface, each once', () => {
    expect(rows.length).toBeGreaterThan(70);
    expect(new Set(rows.map(([id]) => id)).size).toBe(rows.length);
  });

  it.each(rows)('names for %s a place that exists, or says why there is none: %s', (_, cell) => {
    const places = placesIn(cell);
    if (!/\*not yet\*|\*\*deviation\*\*/.test(cell)) expect(places.length).toBeGreaterThan(0);
    for (const place of places) expect([place, isThere(place)]).toEqual([place, true]);
    expect(cell.match(/\.yaml/g)?.length ?? 0).toBe(places.filter((place) => place.includes('.yaml')).length);
  });

  it.each(notShown)('says what was chosen where the interface says: %s', (statement) => {
    const [, choice] = CHOICES.find(([part]) => statement.includes(part)) ?? [];
    expect([statement, text.includes(choice ?? statement)]).toEqual([statement, true]);
  });

  it('explains every x- keyword that the shapes know', () => {
    const known = new Set(
      [
        ...JSON.stringify([
          METHOD_SHAPE,
          SUBSCRIPTION_SHAPE,
          COMMON_SHAPE,
          CONFIG_SHAPE,
          OPERATION_SHAPE,
          HEAD_SHAPE,
        ]).matchAll(/"(x-[a-z0-9-]+)":/g),
      ].map(([, name]) => name),
    );
    const explained = text.slice(text.indexOf('\n## Dialect\n'));
    for (const name of known) expect(explained).toContain(`\`${name}\``);
  });
});
