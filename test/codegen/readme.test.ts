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

/** What a cell names: `file`, `folder/` or `file#/pointer`, all below spec/. */
const placesIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([a-z]+(?:\/[\w.]+)*(?:\.yaml(?:#[^`]*)?|\.proto|\/))`/g)].map(
    ([, place = '']) => place,
  );

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
    const explained = text.slice(text.indexOf('| keyword |'));
    for (const name of known) expect(explained).toContain(`\`${name}\``);
  });
});
