import { type KeyEngine, SHA512_BYTES } from './engine.ts';
import { secretBytes } from './secret-bytes.ts';

const BLOCK_BYTES = 128;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * HMAC-SHA512 (RFC 2104) of messages of one length: set a key, write into `data`, then compute, any number of times. Two plain hashes cost
 * a seventh of `createHmac` in node:crypto for a message as short as SLIP-0010's.
 */
export type Hmac = {
  /** The message, to be written in place. */
  readonly data: Uint8Array;
  /** Sets the key, of at most 128 bytes. */
  readonly setKey: (key: Uint8Array) => void;
  readonly computeInto: (digest: Uint8Array) => void;
  /** Wipes key and message. */
  readonly wipe: () => void;
};

/** Allocates memory for a secret, which the caller wipes. */
export type Allocate = (sizeBytes: number) => Uint8Array;

/** Creates an HMAC for messages of `dataBytes` bytes; its key is empty until it is set. */
export function createHmac(engine: KeyEngine, dataBytes: number, allocate: Allocate = secretBytes): Hmac {
  const inner = allocate(BLOCK_BYTES + dataBytes);
  const outer = allocate(BLOCK_BYTES + SHA512_BYTES);
  const innerDigest = outer.subarray(BLOCK_BYTES);
  const setKey = (key: Uint8Array): void => {
    inner.fill(INNER_PAD, 0, BLOCK_BYTES);
    outer.fill(OUTER_PAD, 0, BLOCK_BYTES);
    for (let at = 0; at < key.length; at += 1) {
      inner[at] = (key[at] ?? 0) ^ INNER_PAD;
      outer[at] = (key[at] ?? 0) ^ OUTER_PAD;
    }
  };
  setKey(new Uint8Array());
  return {
    data: inner.subarray(BLOCK_BYTES),
    setKey,
    computeInto(digest) {
      engine.sha512Into(innerDigest, inner);
      engine.sha512Into(digest, outer);
    },
    wipe: () => engine.wipe(inner, outer),
  };
}
