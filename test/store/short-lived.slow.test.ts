import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startNode } from '../support/node-process.ts';
import { describeStores } from './backends.ts';

const CHILD = fileURLToPath(new URL('asking-child.ts', import.meta.url));
const TIMES = 1_500;
const WAYS = 3;
/** The driver's own client leaves some 2,500 bytes of each query. */
const MOST_BYTES = 150;

/** Of a collection of the main thread's young objects: how many bytes have outlived two by now. */
const SCAVENGE = /^\[\d+:\w+:0\] .* gc=s .* promoted=(\d+) /gm;

describeStores('a query that is answered', ({ place }) => {
  test('leaves nothing among the objects that live long', async () => {
    const child = startNode([CHILD, JSON.stringify(place()), String(TIMES)], {});
    onTestFinished(child.stop);
    const end = await eventually('the child has asked', () => child.ended());
    expect(end, child.stderr()).toBe('exit code 0');
    const promoted = [...child.stdout().matchAll(SCAVENGE)].map(([, bytes]) => Number(bytes));
    expect(promoted.length).toBeGreaterThan(3);
    const bytes = promoted.reduce((sum, some) => sum + some, 0);
    expect(bytes / (TIMES * WAYS)).toBeLessThan(MOST_BYTES);
  });
});
