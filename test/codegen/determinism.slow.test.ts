import { expect, it } from 'vitest';
import { fixtureSources, generateFiles } from './fixture.ts';

it('generates the same texts twice', () => {
  expect(generateFiles(fixtureSources())).toEqual(generateFiles(fixtureSources()));
});

it('does not depend on the order in which documents come', () => {
  const entries = [...fixtureSources()];
  const shuffled = new Map([
    ...entries.filter((_, at) => at % 2 === 1).reverse(),
    ...entries.filter((_, at) => at % 2 === 0),
  ]);
  expect(JSON.stringify(Object.entries(generateFiles(shuffled)).sort())).toBe(
    JSON.stringify(Object.entries(generateFiles(fixtureSources())).sort()),
  );
});

it('leaves the documents as they were', () => {
  const sources = fixtureSources();
  const before = JSON.stringify([...sources], (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
  generateFiles(sources);
  expect(JSON.stringify([...sources], (_, value) => (typeof value === 'bigint' ? `${value}n` : value))).toBe(
    before,
  );
});
