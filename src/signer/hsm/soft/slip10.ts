import sodium from 'sodium-native';
import { secretBuffer, wipe } from './secret.ts';

/** SLIP-0010 for Ed25519. A node is 64 bytes: the private key, which is an Ed25519 seed, then the chain code. */
export type Slip10 = {
  /** Writes the master node of a seed. */
  readonly masterNode: (seed: Uint8Array, node: Buffer) => void;
  /** Writes the hardened child of a node; `index` from 0 to 2^31−1. Node and child may be the same memory. */
  readonly child: (node: Buffer, index: number, child: Buffer) => void;
};

const BLOCK = 128;
const HARDENED = 0x8000_0000;
const MASTER_KEY = Buffer.from('ed25519 seed');

/** HMAC-SHA-512 as two hashes over secret memory of its own, which is wiped after each use. Not for several threads. */
export function createSlip10(): Slip10 {
  const inner = secretBuffer(BLOCK + 64);
  const outer = secretBuffer(BLOCK + 64);
  const hmac = (key: Uint8Array, write: (message: Buffer) => number, out: Buffer): void => {
    inner.fill(0x36, 0, BLOCK);
    outer.fill(0x5c, 0, BLOCK);
    for (const [index, byte] of key.entries()) {
      inner[index] = byte ^ 0x36;
      outer[index] = byte ^ 0x5c;
    }
    const length = write(inner.subarray(BLOCK));
    sodium.crypto_hash_sha512(outer.subarray(BLOCK), inner.subarray(0, BLOCK + length));
    sodium.crypto_hash_sha512(out, outer);
    wipe(inner);
    wipe(outer);
  };
  return {
    masterNode: (seed, node) =>
      hmac(
        MASTER_KEY,
        (message) => {
          message.set(seed);
          return seed.length;
        },
        node,
      ),
    child: (node, index, child) =>
      hmac(
        node.subarray(32, 64),
        (message) => {
          message[0] = 0;
          message.set(node.subarray(0, 32), 1);
          message.writeUInt32BE(HARDENED + index, 33);
          return 37;
        },
        child,
      ),
  };
}
