import { expect, test } from 'vitest';
import type { AskedNode } from '../../../../src/gateway/ledger/subscriptions/node-reads.ts';
import { createResumePoints } from '../../../../src/gateway/ledger/subscriptions/resume-points.ts';

const session = { hasAnnounced: Promise.resolve(), newestSlot: () => 200 };

/** A node that answers its first calls with its slot, and no later ones. */
function nodeThatHangsAfter(answered: number) {
  let asked = 0;
  const node: AskedNode = {
    isCurrent: () => true,
    limitMs: 50,
    pace: { slotsIn: () => undefined },
    upstream: {
      send: ({ signal }) => {
        asked++;
        const body = Buffer.from('{"jsonrpc":"2.0","result":200,"id":1}');
        if (asked <= answered) return Promise.resolve({ kind: 'whole', isError: false, body });
        return new Promise((_, reject) => void signal.onAbort(reject));
      },
      close: async () => undefined,
    },
  };
  return { node, asked: () => asked };
}

test.each([0, 1])(
  'a node that hangs after %i answers is asked once more for its slot, and not again',
  async (answered) => {
    const { node, asked } = nodeThatHangsAfter(answered);
    const pointAt = createResumePoints(node, session);
    await expect(pointAt('confirmed')).rejects.toMatchObject({ code: 'upstreamTimeout' });
    await expect(pointAt('processed')).rejects.toMatchObject({ code: 'upstreamTimeout' });
    expect(asked()).toBe(answered + 1);
  },
);

test('a node that answers what it has announced resumes there', async () => {
  const { node } = nodeThatHangsAfter(9);
  expect(await createResumePoints(node, session)('confirmed')).toEqual({ slot: 200, toSlot: 200 });
});
