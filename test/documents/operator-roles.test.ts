import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { OPERATIONS, ROLES } from '../../generated/account/operations.ts';
import { isOperatorScope } from '../../src/account/identity/tokens/scopes.ts';

const DOCUMENT = readFileSync(new URL('../../docs/account.md', import.meta.url), 'utf8');
const [, listed = ''] = /^\| developers, billing, viewers \| (.*) \|$/m.exec(DOCUMENT) ?? [];
const OPEN_TO_ALL = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);

test('members of an account that operates the server may ask what the document says', () => {
  const ofOperators = Object.entries(OPERATIONS).filter(([, { scopes }]) => scopes.some(isOperatorScope));
  const roles = ofOperators.map(([name, operation]) => [name, operation.roles]);
  const everyone = Object.keys(ROLES);
  expect(roles).toEqual(
    ofOperators.map(([name]) => [name, OPEN_TO_ALL.includes(name) ? everyone : ['owner']]),
  );
  expect(OPEN_TO_ALL.filter((name) => !ofOperators.some(([known]) => known === name))).toEqual([]);
});
