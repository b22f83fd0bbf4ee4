import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ScriptedNode, sendJson, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, startGateway } from '../server/start-gateway.ts';
import { callText, noU64, oddId, plainId, rawJson, space, u64 } from './arbitraries.ts';
import { tryCases } from './seeded.ts';

let node: ScriptedNode;
let gateway: Gateway;
let seenBefore = 0;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], batchConcurrency: 1, maxBodyBytes: 1024 * 1024 });
});

beforeEach(() => {
  seenBefore = node.seen.length;
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

const TIMEOUT_MS = 120_000;

/** A call, its answer at the node around the id in use, and the id that nodes take for its own. */
const exchange = fc
  .record({
    gap: space,
    end: space,
    id: fc.oneof(
      plainId.map((id) => ({ id, sent: id })),
      oddId.map((id) => ({ id, sent: '0' })),
    ),
    slot: u64,
    result: rawJson,
    idFirst: fc.boolean(),
  })
  .map(({ gap, end, id: { id, sent }, slot, result, idFirst }) => {
    const answer = (token: string): string => {
      const members = [`"jsonrpc":"2.0"`, `"result"${gap}:${gap}${result}`];
      const idMember = `"id"${gap}:${token}`;
      return `${gap}{${(idFirst ? [idMember, ...members] : [...members, idMember]).join(`${gap},`)}${gap}}${end}`;
    };
    const call = (token: string): string => callText(gap, token, 'getBlockTime', `[${gap}${slot}${gap}]`);
    return { call: call(id), sentCall: call(sent), nodeAnswer: answer(sent), answer: answer(id) };
  });

type Exchange = typeof exchange extends fc.Arbitrary<infer T> ? T : never;

/** Takes out of `unsent` the exchanges whose calls a body is, one or several, byte for byte. */
function takeSent(unsent: Exchange[], body: string): readonly Exchange[] {
  const taken: Exchange[] = [];
  let rest = body.startsWith('[') ? body.slice(1) : `${body}]`;
  while (rest !== '' && rest !== ']') {
    const at = unsent.findIndex(({ sentCall }) => rest.startsWith(sentCall));
    const [sent] = unsent.splice(at, 1);
    if (at < 0 || sent === undefined) throw new Error(`nobody sent ${rest}`);
    taken.push(sent);
    rest = rest.slice(sent.sentCall.length).replace(/^,/, '');
  }
  return taken;
}

test(
  'a call reaches the node, and its answer the client, as the bytes that were sent; only an odd id is put aside',
  () =>
    tryCases(
      'exactSingle',
      fc.asyncProperty(exchange, async ({ call, sentCall, nodeAnswer, answer }) => {
        node.play((response) => sendJson(response, nodeAnswer));
        const response = await post(gateway.rpcUrl, call);
        expect(await response.text()).toBe(answer);
        expect(node.seen.at(-1)?.body).toBe(sentCall);
      }),
    ),
  TIMEOUT_MS,
);

test(
  'so do the calls of a batch, whichever travel together and in whatever order the node answers them',
  () =>
    tryCases(
      'exactBatch',
      fc.asyncProperty(
        fc.uniqueArray(exchange, { minLength: 1, maxLength: 8, selector: ({ sentCall }) => sentCall }),
        space,
        fc.boolean(),
        async (exchanges, gap, isBackwards) => {
          const unsent = [...exchanges];
          node.play((response, { body }) => {
            const answers = takeSent(unsent, body).map(({ nodeAnswer }) => nodeAnswer.trimStart());
            if (isBackwards) answers.reverse();
            sendJson(response, body.startsWith('[') ? `${gap}[${answers.join()}${gap}]` : answers.join());
          });
          const response = await post(
            gateway.rpcUrl,
            `${gap}[${exchanges.map(({ call }) => call).join(`${gap},${gap}`)}]`,
          );
          const answers = exchanges.map(({ answer }) => answer.trim());
          expect(await response.text()).toBe(`[${answers.join(',')}]\n`);
          expect(unsent).toEqual([]);
        },
      ),
    ),
  TIMEOUT_MS,
);

test(
  'integers from 2^64 on and below zero are refused where a u64 is wanted, singly and in batches, and reach no node',
  () =>
    tryCases(
      'exactIntegers',
      fc.asyncProperty(
        noU64,
        space,
        fc.constantFrom(
          'getBlockTime',
          'getBlock',
          'getBlockCommitment',
          'getMinimumBalanceForRentExemption',
        ),
        fc.boolean(),
        async (value, gap, method, isBatch) => {
          const call = callText(gap, '7', method, `[${gap}${value}]`);
          const text = await (await post(gateway.rpcUrl, isBatch ? `[${call}]` : call)).text();
          const reply: unknown = JSON.parse(text);
          expect(isBatch ? reply : [reply]).toMatchObject([{ error: { code: -32602 }, id: 7 }]);
          expect(node.seen).toHaveLength(seenBefore);
        },
      ),
    ),
  TIMEOUT_MS,
);

test(
  'a call with a member that stands twice, however it is written, is refused and reaches no node',
  () =>
    tryCases(
      'exactDuplicates',
      fc.asyncProperty(
        fc.constantFrom(
          ['method', '"getSlot"', -32600],
          ['meth\\u006fd', '"getSlot"', -32600],
          ['params', '[]', -32600],
          ['jsonrpc', '"2.0"', -32600],
          ['id', '1', -32700],
          ['i\\u0064', '1', -32700],
        ),
        space,
        fc.nat({ max: 4 }),
        async ([name, value, code], gap, place) => {
          const members = ['"jsonrpc":"2.0"', '"id":1', '"method":"getSlot"', '"params":[]'];
          members.splice(place, 0, `"${name}"${gap}:${value}`);
          const text = await (await post(gateway.rpcUrl, `{${members.join(`,${gap}`)}}`)).text();
          expect(JSON.parse(text)).toMatchObject({ error: { code } });
          expect(node.seen).toHaveLength(seenBefore);
        },
      ),
    ),
  TIMEOUT_MS,
);
