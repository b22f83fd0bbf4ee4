import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAnswerCheck } from '../../src/gateway/ledger/drift/answer-check.ts';
import {
  closedObjects,
  DOCUMENT,
  type Place,
  SHOWN,
  type ShownMessage,
} from '../gateway/ledger/drift/spec-examples.ts';
import { tryCases } from './seeded.ts';

const TIMEOUT_MS = 120_000;
const check = createAnswerCheck(DOCUMENT);

/** Every closed object of every example. */
const PLACES = SHOWN.flatMap((shown) =>
  closedObjects(shown.schema, shown.value).map((place) => ({ shown, place })),
);

function findings({ name, isNotification }: ShownMessage, value: unknown) {
  return isNotification
    ? check.notification({ jsonrpc: '2.0', method: name, params: { result: value, subscription: 1 } })
    : check.reply(name, { jsonrpc: '2.0', id: 1, result: value });
}

function withMember(value: unknown, { steps }: Place, member: string, own: unknown): unknown {
  const copy: unknown = structuredClone(value);
  const object = steps.reduce((at, step) => (at as Record<string | number, unknown>)[step], copy);
  Object.assign(object as object, { [member]: own });
  return copy;
}

/** No member of the specification is called so. */
const newName = fc
  .array(fc.stringMatching(/^[A-Z]([aeiou][b-z]){2,4}$/), { minLength: 1, maxLength: 5 })
  .map((words) => `zz${words.join('')}`);

test('there are places for a member in every kind of answer', () => {
  expect(PLACES.length).toBeGreaterThan(700);
  const covered = new Set(PLACES.map(({ shown }) => shown.name));
  for (const name of [
    'getBlock',
    'getTransaction',
    'getAccountInfo',
    'simulateTransaction',
    'blockNotification',
  ])
    expect(covered).toContain(name);
});

test(
  'an unknown member at any place of any example is found, there and nowhere else',
  () =>
    tryCases(
      'driftMembers',
      fc.property(fc.constantFrom(...PLACES), newName, fc.jsonValue(), ({ shown, place }, member, own) => {
        const head = shown.isNotification ? `${shown.name}.params.result` : `${shown.name}.result`;
        const name = `${head}${place.path}.${member}`.slice(0, 200);
        expect(findings(shown, withMember(shown.value, place, member, own))).toEqual([
          { kind: 'member', name },
        ]);
      }),
    ),
  TIMEOUT_MS,
);

/** JSON that looks like the example in places. */
const answer = fc.tuple(fc.constantFrom(...SHOWN), fc.constantFrom(...SHOWN), fc.jsonValue(), fc.boolean());

test(
  'whatever a node sends, names are short, look like names, and are no more than 300',
  () =>
    tryCases(
      'driftAnswers',
      fc.property(
        answer,
        fc.dictionary(fc.string(), fc.jsonValue()),
        ([shown, other, any, isOther], more) => {
          const value = isOther ? other.value : any;
          const extended = typeof value === 'object' && value !== null ? { ...value, ...more } : value;
          const found = findings(shown, extended);
          expect(found.length).toBeLessThanOrEqual(300);
          for (const { name } of found) expect(name).toMatch(/^[A-Za-z][\w.$+*[\]{} -]{0,199}$/);
          expect(check.batch(extended, extended)).toEqual([]);
        },
      ),
    ),
  TIMEOUT_MS,
);
