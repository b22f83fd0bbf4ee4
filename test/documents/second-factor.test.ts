import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import document from '../../generated/account/openapi.json' with { type: 'json' };

const DASHBOARD = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8');
const [, section = ''] = /^## The second factor\n(.*?)^## /ms.exec(DASHBOARD) ?? [];

test('the guide of the dashboard lists every operation that wants a code, and no other', () => {
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const wanting = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter((operation) => JSON.stringify(operation).includes('`fresh_factor_required`'));
  expect(listed.sort()).toEqual(wanting.map(({ operationId }) => operationId).sort());
});
