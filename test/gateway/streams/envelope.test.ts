import { expect, it } from 'vitest';
import { SubscribeResponse } from '../../../generated/stream/service.ts';
import { createEnvelope } from '../../../src/gateway/streams/entry.ts';

const SLOT = 2n ** 64n - 1n;
const plain = (payload: string): Uint8Array =>
  SubscribeResponse.encode({ topic: 'blocks', slot: SLOT, payload }).finish();

it.each([1, 95, 96, 97, 127, 128, 16_383, 16_384, 300_000])(
  'is what the codec makes, with %i bytes',
  (sizeBytes) => {
    const envelope = createEnvelope('blocks', SLOT);
    const [ascii, wide] = ['x'.repeat(sizeBytes), '∎ä'.repeat(sizeBytes)];
    for (const text of [ascii, wide]) expect(Buffer.from(envelope.text(text)).equals(plain(text))).toBe(true);
    const bytes = Buffer.alloc(sizeBytes, 7);
    expect(Buffer.from(envelope.base64(bytes)).equals(plain(bytes.toString('base64')))).toBe(true);
  },
);
