import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What a gateway says of a block that it shares, and the packed block itself. */
export type SignedBlock = {
  readonly network: string;
  readonly run: string;
  readonly slot: bigint;
  readonly finalizedSlot: bigint;
  readonly blockhash: string;
  readonly packed: Buffer;
};

/** Returns the tag of a block: an HMAC-SHA256 under a key that the gateways of an installation share, 32 bytes. */
export function tagOf(key: KeyObject, block: SignedBlock): Buffer {
  const { network, run, slot, finalizedSlot, blockhash, packed } = block;
  const said = JSON.stringify([network, run, String(slot), String(finalizedSlot), blockhash]);
  return createHmac('sha256', key).update(said).update(packed).digest();
}

/** True if a gateway of this installation has made the tag for this block. Takes the same time for each tag of 32 bytes. */
export function isTagOf(key: KeyObject, block: SignedBlock, tag: Buffer): boolean {
  const expected = tagOf(key, block);
  return tag.length === expected.length && timingSafeEqual(tag, expected);
}
