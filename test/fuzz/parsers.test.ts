import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { METHODS } from '../../generated/ledger/methods.ts';
import { ERRORS } from '../../generated/errors.ts';
import { checkCall } from '../../src/gateway/ledger/check-call.ts';
import { parseJson, measureJson, scanItems, scanMembers } from '../../src/core/rpc/json.ts';
import { ServiceError, serviceError } from '../../src/core/service-error.ts';
import { answerBody } from '../../src/core/rpc/answer-body.ts';
import { parseBody } from '../../src/core/rpc/parse-body.ts';
import { hostileBody, mutated } from './hostile-bodies.ts';
import { rawJson } from './arbitraries.ts';
import { casesOf, THOROUGH_CASES, tryCases } from './seeded.ts';

const LIMITS = { maxBatchCalls: 20, batchConcurrency: 4 };
const TIMEOUT_MS = 120_000;

/** The result of a run, or the ServiceError it throws; any other error fails the test. */
function outcome<T>(run: () => T): T | ServiceError {
  try {
    return run();
  } catch (error) {
    if (error instanceof ServiceError && error.code !== 'internalError') return error;
    throw error;
  }
}

test('a thorough run tries at least 100,000 cases', () => {
  expect(Object.values(THOROUGH_CASES).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(
    100_000,
  );
});

test(
  'a body is parsed, or refused with an error of the catalogue; what is no UTF-8 or too deep is always refused',
  () =>
    tryCases(
      'parser',
      fc.property(hostileBody, (body) => {
        const message = outcome(() => parseBody(body, LIMITS));
        if (message instanceof ServiceError) expect(Object.keys(ERRORS)).toContain(message.code);
        else expect(['single', 'batch']).toContain(message.kind);
        const isRefused = message instanceof ServiceError;
        expect(isRefused && message.code === 'bodyNotUtf8').toBe(!isUtf8(body));
        if (measureJson(body, 127).depth > 127) expect(isRefused).toBe(true);
      }),
    ),
  TIMEOUT_MS,
);

test(
  'the members and items that are found by their bytes are those that the parser reads',
  async () => {
    let compared = 0;
    await tryCases(
      'scanner',
      fc.property(mutated(rawJson.map((text) => Buffer.from(text))), (bytes) => {
        let value: unknown;
        try {
          value = parseJson(bytes.toString());
        } catch {
          return;
        }
        if (Array.isArray(value)) {
          const items = (scanItems(bytes) ?? []).map(({ start, end }) =>
            parseJson(bytes.toString('utf8', start, end)),
          );
          expect(items).toEqual(value);
          compared++;
        } else if (typeof value === 'object' && value !== null) {
          const members = (scanMembers(bytes) ?? []).map(({ name, start, end }) => [
            name,
            parseJson(bytes.toString('utf8', start, end)),
          ]);
          expect(Object.fromEntries(members)).toEqual(value);
          compared++;
        }
      }),
    );
    expect(compared).toBeGreaterThan(casesOf('scanner') / 10);
  },
  TIMEOUT_MS,
);

const ADDRESS = '83astBRguLMdt2h5U1Tpdq5tjFoJ6noeGwaY3mDLVcri';
const param: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true }),
  fc.constantFrom(
    ADDRESS,
    [ADDRESS],
    { encoding: 'base64' },
    { commitment: 'processed' },
    { mint: ADDRESS },
    5,
    2n ** 64n,
  ),
  fc.dictionary(
    fc.constantFrom('__proto__', 'encoding', 'filters', 'dataSlice', 'limit', 'commitment'),
    fc.jsonValue(),
  ),
);

test(
  'whatever the params, a call passes or is refused with an error that can be told',
  () =>
    tryCases(
      'params',
      fc.property(
        fc.constantFrom(...Object.keys(METHODS), 'toString', '__proto__', ''),
        fc.oneof(fc.array(param, { maxLength: 5 }), param),
        (method, params) => {
          const result = outcome(() => checkCall({ method, params }, 'mainnet'));
          if (result instanceof ServiceError) expect(Object.keys(ERRORS)).toContain(result.code);
          else expect(result).toBe(method);
        },
      ),
    ),
  TIMEOUT_MS,
);

test(
  'a body is answered with JSON-RPC, with nothing, or with an HTTP error',
  () =>
    tryCases(
      'answers',
      fc.asyncProperty(hostileBody, async (body) => {
        const serve = async ({ method, params }: { method: string; params: unknown }) => {
          checkCall({ method, params }, 'localnet');
          throw serviceError('upstreamUnavailable');
        };
        const answer = await answerBody(body, serve, LIMITS).catch((error: unknown) => {
          if (error instanceof ServiceError && ERRORS[error.code].http !== 200) return undefined;
          throw error;
        });
        if (answer === undefined) return;
        const replies: unknown = JSON.parse(answer.toString());
        for (const reply of Array.isArray(replies) ? replies : [replies])
          expect(reply).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } });
        expect(answer.toString()).not.toContain('Internal error');
      }),
    ),
  TIMEOUT_MS,
);
