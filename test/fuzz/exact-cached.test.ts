import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedNode, sendJson, startScriptedNode } from '../server/scripted-node.ts';
import { type Gateway, post, startGateway } from '../server/start-gateway.ts';
import { callText, oddId, plainId, rawJson, space } from './arbitraries.ts';
import { tryCases } from './seeded.ts';

let node: ScriptedNode;
let gateway: Gateway;

beforeAll(async () => {
  node = await startScriptedNode();
  gateway = await startGateway({ nodeUrls: [node.url], cacheBytes: 16 * 1024 * 1024 });
});

afterAll(async () => {
  await gateway.close();
  await node.close();
});

const TIMEOUT_MS = 120_000;

/** Spaces, an id and where it stands, and a result that may be kept. */
const kept = fc.record({
  gap: space,
  end: space,
  id: plainId,
  idFirst: fc.boolean(),
  result: rawJson.filter((text) => text.trim() !== 'null'),
});
const ids = fc.array(fc.oneof(plainId, oddId), { minLength: 1, maxLength: 3 });

test(
  'what is kept is handed out in the bytes of the node, whatever the id that asks',
  () => {
    let slot = 0;
    return tryCases(
      'exactCached',
      fc.asyncProperty(kept, ids, async ({ gap, end, id, idFirst, result }, others) => {
        slot += 1;
        const answer = (token: string): string => {
          const [idMember, rest] = [
            `"id"${gap}:${token}`,
            `"jsonrpc":"2.0",${gap}"result"${gap}:${gap}${result}`,
          ];
          return `${gap}{${idFirst ? `${idMember},${rest}` : `${rest}${gap},${idMember}`}${gap}}${end}`;
        };
        const ask = (token: string): Promise<Response> =>
          post(gateway.rpcUrl, callText(gap, token, 'getBlock', `[${slot}]`));
        const before = node.seen.length;
        node.play((response) => sendJson(response, answer(id)));
        expect(await (await ask(id)).text()).toBe(answer(id));
        for (const other of others) {
          const response = await ask(other);
          expect(response.headers.get('cache-status')).toBe('Keyslot; hit');
          expect(await response.text()).toBe(answer(other));
        }
        expect(node.seen).toHaveLength(before + 1);
      }),
    );
  },
  TIMEOUT_MS,
);
