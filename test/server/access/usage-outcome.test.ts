import { expect, test } from 'vitest';
import { serviceError } from '../../../src/core/service-error.ts';
import { servedOutcomeOf } from '../../../src/server/access/usage-book.ts';

const thrown = (error: unknown) => servedOutcomeOf({ kind: 'failure', error });
const answered = (code: number) => {
  const body = Buffer.from(`{"jsonrpc":"2.0","error":{"code":${code},"message":"no"},"id":1}`);
  return servedOutcomeOf({ kind: 'whole', body, isError: true });
};

test('what a caller did wrong is no error of the provider', () => {
  expect([
    thrown(serviceError('methodNotFound')),
    thrown(serviceError('paramsNotArray')),
    thrown(serviceError('invalidBase58', { parameter: 'x' })),
    ...[-32601, -32602, -32002, -32004, -32007, -32016].map(answered),
  ]).toEqual(new Array(9).fill('callerError'));
});

test('what this server or a node failed to answer is', () => {
  expect([
    ...(['upstreamBroken', 'upstreamBusy', 'upstreamUnavailable', 'nodeUnhealthy'] as const).map((code) =>
      thrown(serviceError(code)),
    ),
    thrown(new Error('an internal fault')),
    ...[-32005, -32019, -32603].map(answered),
  ]).toEqual(new Array(8).fill('error'));
});

test('an answer is neither', () => {
  expect(servedOutcomeOf({ kind: 'result', json: '1' })).toBe('ok');
  expect(servedOutcomeOf({ kind: 'whole', body: Buffer.from('{}'), isError: false })).toBe('ok');
});
