import { expect, test } from 'vitest';
import { ERRORS, type ErrorName, errorEntry } from '../../generated/errors.ts';
import { errorReply } from '../../src/core/rpc/replies.ts';
import {
  errorData,
  errorMessage,
  ServiceError,
  serviceError,
  toServiceError,
} from '../../src/core/service-error.ts';

test('the template is filled from the context, integers exactly', () => {
  const error = serviceError('minContextSlotNotReached', { contextSlot: 2n ** 64n - 1n });
  expect(errorReply('"a"', error).toString()).toBe(
    '{"jsonrpc":"2.0","error":{"code":-32016,"message":"Minimum context slot has not been reached","data":{"contextSlot":18446744073709551615}},"id":"a"}\n',
  );
});

test('braces and placeholders in a value are left alone', () => {
  const context = { parameter: 'x', value: '{expected} $& {', expected: 'y' };
  expect(errorMessage(serviceError('unknownVariant', context))).toBe(
    'Invalid params: unknown variant `{expected} $& {`, expected y.',
  );
});

test('data holds what the catalogue lists, and nothing else of the context', () => {
  const error = new ServiceError('bodyTooLarge', { limit: 5, secret: 'x' });
  expect(errorData(error)).toEqual({ limit: 5 });
  expect(errorData(serviceError('methodNotFound'))).toBeUndefined();
});

test('the internal cause is in no answer', () => {
  const error = toServiceError(new Error('password hunter2'));
  expect(error.code).toBe('internalError');
  expect(errorReply('1', error).toString()).not.toContain('hunter2');
});

test('a ServiceError stays what it is', () => {
  const error = serviceError('parseError');
  expect(toServiceError(error)).toBe(error);
});

test('codes below -32039 are answered with an HTTP status other than 200, all others with 200', () => {
  for (const { http, jsonrpc } of Object.keys(ERRORS).map((name) => errorEntry(name as ErrorName))) {
    if (jsonrpc !== undefined) expect(http === 200).toBe(jsonrpc.code > -32040 || jsonrpc.code < -32099);
  }
});

test('an internal fault and one of a node have a stack; a refusal does not pay for that', () => {
  const limit = Error.stackTraceLimit;
  for (const code of ['internalError', 'reservationClosed', 'upstreamBroken'] as const)
    expect(serviceError(code).stack).toContain('service-error.test.ts');
  expect(serviceError('methodNotFound').stack).not.toContain('service-error');
  expect([Error.stackTraceLimit, limit > 0]).toEqual([limit, true]);
});
