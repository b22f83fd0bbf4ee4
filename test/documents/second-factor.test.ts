import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATIONS } from '../../generated/account/operations.ts';
import type { ErrorName } from '../../generated/errors.ts';

const DASHBOARD = readFileSync(new URL('../../docs/dashboard.md', import.meta.url), 'utf8');
const [, section = ''] = /^## The second factor\n(.*?)^## /ms.exec(DASHBOARD) ?? [];

test('the guide of the dashboard lists every operation that wants a code, and no other', () => {
  const listed = [...section.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const wanting = Object.entries(OPERATIONS).filter(([, { errors }]) =>
    (errors as readonly ErrorName[]).includes('freshFactorRequired'),
  );
  expect(listed.sort()).toEqual(wanting.map(([name]) => name).sort());
});
