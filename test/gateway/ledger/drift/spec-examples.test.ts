import { expect, test } from 'vitest';
import { METHODS } from '../../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../../../generated/ledger/subscriptions.ts';
import { createAnswerCheck } from '../../../../src/gateway/ledger/drift/answer-check.ts';
import { closedObjects, DOCUMENT, SHOWN } from './spec-examples.ts';

const check = createAnswerCheck(DOCUMENT);

test('there are examples of every method and every notification', () => {
  const names = [
    ...Object.keys(METHODS),
    ...Object.values(SUBSCRIPTIONS).map(({ notification }) => notification),
  ];
  const shown = new Set(SHOWN.map(({ name }) => name));
  expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

test('nothing is found in any example of the specification', () => {
  const found = SHOWN.flatMap(({ name, isNotification, value }) =>
    isNotification
      ? check.notification({ jsonrpc: '2.0', method: name, params: { result: value, subscription: 1 } })
      : check.reply(name, { jsonrpc: '2.0', id: 1, result: value }),
  );
  expect(found).toEqual([]);
});

test('a member that is added to any object of any example is found, and nothing else', () => {
  for (const { name, isNotification, schema, value } of SHOWN) {
    for (const { steps, path } of closedObjects(schema, value)) {
      const copy: unknown = structuredClone(value);
      const object = steps.reduce((at, step) => (at as Record<string | number, unknown>)[step], copy);
      Object.assign(object as object, { newMember: null });
      const params = { result: copy, subscription: 1 };
      const found = isNotification
        ? check.notification({ jsonrpc: '2.0', method: name, params })
        : check.reply(name, { jsonrpc: '2.0', id: 1, result: copy });
      const head = isNotification ? `${name}.params.result` : `${name}.result`;
      expect(found).toEqual([{ kind: 'member', name: `${head}${path}.newMember` }]);
    }
  }
});
