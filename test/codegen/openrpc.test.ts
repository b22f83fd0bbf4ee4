import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../generated/errors.ts';
import { METHODS } from '../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../generated/ledger/subscriptions.ts';
import { printJson } from '../../runtime/json.ts';
import { readDocument } from '../../runtime/read-document.ts';

type Document = { readonly [name: string]: unknown };

const document = readDocument(new URL('../../generated/ledger/openrpc.json', import.meta.url)) as Document;
const text = printJson(document);

const below = (value: unknown, path: string): readonly (readonly [string, unknown])[] => [
  [path, value],
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, child]) => below(child, `${path}/${name}`))
    : []),
];
const everything = below(document, '');

const at = (pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (value as Document | undefined)?.[step], document);

describe('openrpc.json', () => {
  it('has every method, and the errors that are its own', () => {
    const methods = document.methods as readonly {
      readonly name: string;
      readonly errors: readonly object[];
    }[];
    expect(methods.map(({ name }) => name)).toEqual([
      ...Object.keys(METHODS),
      ...Object.keys(SUBSCRIPTIONS),
      ...Object.values(SUBSCRIPTIONS).map(({ unsubscribe }) => unsubscribe),
    ]);
    const { errors = [] } = methods.find(({ name }) => name === 'getSignaturesForAddress') ?? {};
    expect(errors).toContainEqual({ $ref: '#/components/errors/invalidLimit' });
    expect(at('/components/errors/invalidLimit')).toEqual({
      code: ERRORS.invalidLimit.jsonrpc.code,
      message: ERRORS.invalidLimit.jsonrpc.message,
    });
    expect(at('/x-error-data/invalidLimit')).toEqual({
      type: 'object',
      properties: { parameter: { type: 'string' }, limit: { type: 'integer' }, value: { type: 'integer' } },
    });
    expect(at('/x-error-data/preflightFailure')).toEqual({ $ref: '#/components/schemas/SimulationResult' });
  });

  it('tells of each subscription what is notified, and what ends it', () => {
    const methods = document.methods as readonly Document[];
    for (const { name, unsubscribe, notification } of Object.values(SUBSCRIPTIONS)) {
      expect(methods.find((method) => method.name === name)?.['x-subscription']).toMatchObject({
        unsubscribe,
        notification: { name: notification, schema: expect.any(Object) },
      });
      expect(methods.find((method) => method.name === unsubscribe)).toMatchObject({
        'x-unsubscribes': name,
        errors: [{ $ref: '#/components/errors/subscriptionNotFound' }],
      });
    }
    expect(document['x-gap-notification']).toMatchObject({ name: 'gapNotification' });
  });

  it('refers to nothing outside itself', () => {
    const references = everything.filter(([path]) => path.endsWith('/$ref'));
    expect(references.length).toBeGreaterThan(300);
    for (const [path, reference] of references)
      expect([path, reference, at(String(reference).slice(1))]).not.toContain(undefined);
  });

  it('states the bounds of every integer, exactly', () => {
    const integers = everything.flatMap(([, value]) =>
      typeof value === 'object' && value !== null && 'x-int' in value ? [value as Document] : [],
    );
    for (const schema of integers)
      expect([schema['x-int'], schema.minimum, schema.maximum]).not.toContain(undefined);
    expect(at('/components/schemas/U64')).toMatchObject({ minimum: 0, maximum: 2n ** 64n - 1n });
    expect(text).toContain('"maximum":18446744073709551615');
    expect(text).not.toMatch(/18446744073709552000|1\.8446744073709552e/);
  });
});
