import { expect, test } from 'vitest';
import { CallSignal } from '../../../../src/core/rpc/call-signal.ts';
import type { Upstream } from '../../../../src/gateway/nodes/upstream.ts';
import { poolOf } from './pool-of.ts';

const GOOD = '{"jsonrpc":"2.0","result":1,"id":1}';
const errorOf = (code: number): string => `{"jsonrpc":"2.0","error":{"code":${code},"message":"no"},"id":1}`;

/** Nodes that answer so, one after the other. */
function poolThatAnswers(...answers: readonly string[]) {
  const asked: number[] = [];
  const nodes = answers.map((answer, index): { upstream: Upstream } => ({
    upstream: {
      send: async () => {
        asked.push(index);
        return { kind: 'whole', body: Buffer.from(answer), isError: answer !== GOOD };
      },
      close: async () => undefined,
    },
  }));
  return { pool: poolOf(nodes), asked };
}

async function read(pool: ReturnType<typeof poolOf>): Promise<string> {
  const method = 'getProgramAccounts';
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`);
  const reply = await pool.upstream.send({ body, method, id: '1', signal: new CallSignal() });
  return reply.kind === 'whole' ? reply.body.toString() : '';
}

test.each([
  [-32601, 'has not the method'],
  [-32010, 'keeps no index of the key'],
  [-32012, 'broke off its scan'],
  [-32019, 'cannot reach its long-term storage'],
  [-32020, 'does not know the transaction of a filter'],
])('a read goes to another node where one answers %i: it %s', async (code) => {
  const { pool, asked } = poolThatAnswers(errorOf(code), GOOD);
  expect(await read(pool)).toBe(GOOD);
  expect(asked).toEqual([0, 1]);
});

test.each([-32601, -32010, -32012, -32019, -32020])(
  'what every node answers is the answer: %i',
  async (code) => {
    const { pool } = poolThatAnswers(errorOf(code), errorOf(code));
    expect(await read(pool)).toBe(errorOf(code));
  },
);

test.each([-32602, -32015, -32018])('what any node would answer is asked of one: %i', async (code) => {
  const { pool, asked } = poolThatAnswers(errorOf(code), GOOD);
  expect(await read(pool)).toBe(errorOf(code));
  expect(asked).toEqual([0]);
});
