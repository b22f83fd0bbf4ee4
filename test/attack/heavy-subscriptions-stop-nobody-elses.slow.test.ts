import { expect, test } from 'vitest';
import { startKeyslot } from '../support/keyslot.ts';
import { openSocket } from '../support/socket-client.ts';

/** 131,072 bytes of data, which change in every slot. */
const SLOT_HISTORY = 'SysvarS1otHistory11111111111111111111111111';
const HEAVY = 200;
/** Slots in a row that the victim is told of. */
const SLOTS = 40;

test('200 subscriptions of one key to a large account are paused, and others are told of every slot', async () => {
  const server = await startKeyslot({});
  try {
    const url = server.rpcUrl.replace(/^http/, 'ws');
    const victim = await openSocket(url);
    await victim.call('slotSubscribe');
    const attacker = await openSocket(url);
    let [large, gaps] = [0, 0];
    const drain = (async () => {
      for (;;) {
        const { method } = await attacker.next();
        if (method === 'gapNotification') gaps += 1;
        else if (method === 'accountNotification') large += 1;
      }
    })();
    drain.catch(() => undefined);
    for (let at = 0; at < HEAVY; at += 1) {
      const dataSlice = { offset: 0, length: 131_000 - at };
      const config = { encoding: 'base64', commitment: 'processed', dataSlice };
      await attacker.call('accountSubscribe', [SLOT_HISTORY, config]);
    }
    // The first results may be too much for a busy machine; then the connection holds.
    let [last, inRow] = [0, 0];
    while (inRow < SLOTS) {
      const slot = Number(/"slot":(\d+)/.exec(JSON.stringify(await victim.next()))?.[1]);
      inRow = slot === last + 1 ? inRow + 1 : 0;
      last = slot;
    }
    expect(large).toBeGreaterThan(SLOTS);
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    expect(Number(/keyslot_ws_pauses_total\{.*\} (\d+)/.exec(metrics)?.[1])).toBeGreaterThan(HEAVY / 4);
    // What was paused is taken up again: what it missed is sent or told of.
    const before = large + gaps;
    await expect.poll(() => large + gaps, { timeout: 30_000 }).toBeGreaterThan(before);
    attacker.close();
    victim.close();
  } finally {
    await server.stop();
  }
}, 120_000);
