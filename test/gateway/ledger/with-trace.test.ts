import { expect, test } from 'vitest';
import type { Call } from '../../../src/core/rpc/call.ts';
import type { Context } from '../../../src/core/rpc/context.ts';
import type { Ledger } from '../../../src/gateway/ledger/ledger.ts';
import { TRACE, withTrace } from '../../../src/gateway/ledger/with-trace.ts';

const CONTEXT = {} as Context;
const call = (method: string) => ({ method }) as Call;
const ledger: Ledger = {
  serve: async ({ method }) => ({ kind: 'result', json: `"${method}"` }),
  serveBatch: async (calls) => calls.map(({ method }) => ({ kind: 'result', json: `"${method}"` })),
};

test('without an embedded ledger that serves it, a trace is refused with what to set', () => {
  expect(() => withTrace(ledger, undefined).serve(call(TRACE), CONTEXT)).toThrow(
    /KEYSLOT_LOCALNET_GATEWAY_TRACE=true/,
  );
});

test('other calls are passed on; in a batch a trace is served on its own', async () => {
  const traced = withTrace(ledger, undefined);
  expect(await traced.serve(call('getSlot'), CONTEXT)).toMatchObject({ json: '"getSlot"' });
  const outcomes = await traced.serveBatch([call('getSlot'), call(TRACE), call('getHealth')], CONTEXT);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['result', 'not-batched', 'result']);
});
