import { describe, expect, test } from 'vitest';
import type { RestCase, RestContract } from '../../../runtime/rest-case.ts';
import { checkAnswer } from '../../../src/devkit/contract/wallets/check-answer.ts';
import {
  fillRequest,
  sendRequest,
  type WalletValues,
} from '../../../src/devkit/contract/wallets/run-contract.ts';
import { sampleOf } from '../contract/sample.ts';

/** A service whose mock is checked. */
export type MockedService = {
  readonly contract: Readonly<Record<string, RestContract>>;
  readonly baseUrl: () => string;
  /** The value that the mock takes in place of one of the contract. */
  readonly standIn: (name: string) => string;
};

/** Asks a mock for the answer that a case expects. */
export async function askMock(
  { contract, standIn }: Pick<MockedService, 'contract' | 'standIn'>,
  item: RestCase,
  baseUrl: string,
) {
  const { expect: expected, example = '', operation } = item;
  if (!('status' in expected)) throw new Error('no example shows it');
  const good = contract[operation]?.cases[0]?.request ?? item.request;
  const request = await fillRequest(expected.kind === 'success' ? item.request : good, valuesOf(standIn));
  const response = await sendRequest(baseUrl, {
    ...request,
    headers: {
      ...request.headers,
      Prefer: `code=${expected.status}, example=${example}`,
      Accept: expected.kind === 'success' ? expected.media : 'application/problem+json',
    },
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const valuesOf = (standIn: MockedService['standIn']): WalletValues<string> => ({
  value: async (name) => standIn(name),
});

/** The example of a problem names another place than the case does. */
const withoutPointer = (item: RestCase): RestCase => {
  if (item.expect.kind !== 'problem') return item;
  const { pointer: _, ...rest } = item.expect;
  return { ...item, expect: rest };
};

/** Holds the mock of a service against its contract, operation by operation. */
export function checkMockedService(service: MockedService): void {
  const { contract, baseUrl, standIn } = service;

  describe.each(Object.entries(contract))('%s', (_, { cases, statuses }) => {
    const shown = cases.filter(({ kind }) => kind === 'example' || kind === 'error');
    const checked = cases.filter(({ kind }) => kind !== 'example' && kind !== 'error' && kind !== 'role');

    test('has a case for every status and every code of it', () => {
      for (const [status, codes] of Object.entries(statuses)) {
        const there = shown.flatMap(({ expect: expected, example }) =>
          'status' in expected && String(expected.status) === status ? [example] : [],
        );
        expect([status, there.length > 0, codes.filter((code) => !there.includes(code))]).toEqual([
          status,
          true,
          [],
        ]);
      }
    });

    test('answers every status and every example of it, and finds them valid', async () => {
      for (const item of sampleOf(shown)) {
        const answer = await askMock(service, item, baseUrl());
        expect([item.name, await checkAnswer(withoutPointer(item), answer)]).toEqual([item.name, []]);
        expect([item.name, answer.headers.get('sl-violations')]).toEqual([item.name, null]);
      }
    });

    test('takes and refuses the bodies that the contract takes and refuses', async () => {
      for (const item of sampleOf(checked)) {
        const response = await sendRequest(baseUrl(), await fillRequest(item.request, valuesOf(standIn)));
        const answer = { status: response.status, headers: response.headers, text: await response.text() };
        const isRefused = answer.status === 422 || answer.status === 400;
        expect([item.name, isRefused]).toEqual([item.name, item.expect.kind === 'problem']);
        // The document's pattern refuses values that only the operation checks, with the example of a problem.
        const shown = answer.headers.has('sl-violations') ? withoutPointer(item) : item;
        expect([item.name, await checkAnswer(shown, answer)]).toEqual([item.name, []]);
      }
    });

    test('answers the request of each example with its answer', async () => {
      for (const item of sampleOf(cases.filter(({ kind }) => kind === 'example'))) {
        const chosen = await askMock(service, item, baseUrl());
        const response = await sendRequest(baseUrl(), await fillRequest(item.request, valuesOf(standIn)));
        expect([item.name, await response.text()]).toEqual([item.name, chosen.text]);
        expect(response.headers.get('content-type')).toBe(chosen.headers.get('content-type'));
      }
    });
  });
}
