import { COIN_TYPE, type DerivationIndexes, PURPOSE } from './derivation-path.ts';
import { type KeyEngine, SEED_BYTES, SHA512_BYTES } from './engine.ts';
import { copySecret, secretBytes } from './secret-bytes.ts';

/** A node of SLIP-0010 for ed25519: 64 bytes, the private key (a seed of RFC 8032) and the chain code. A secret: its holder wipes it. */
export type Node = Uint8Array;

export const NODE_BYTES = 64;
const HARDENED = 0x80000000;
const MASTER_KEY = new TextEncoder().encode('ed25519 seed');
const CHILD_DATA_BYTES = 1 + SEED_BYTES + 4;
const INDEX_AT = 1 + SEED_BYTES;

/** Returns the private key of a node, as a view of it. */
export function nodeSeed(node: Node): Uint8Array {
  return node.subarray(0, SEED_BYTES);
}

/** Returns the master node of a BIP39 seed or any other of 16 to 64 bytes (SLIP-0010, "Master key generation"). */
export function masterNode(engine: KeyEngine, seed: Uint8Array): Node {
  const node = secretBytes(NODE_BYTES);
  createMasters(engine, seed.length).computeInto(node, seed);
  return node;
}

/** Computes the master nodes of seeds of one length. */
export type Masters = {
  /** Writes the master node of a seed in place, and wipes its copy of the seed. */
  readonly computeInto: (node: Node, seed: Uint8Array) => void;
};

/** Allocates memory to compute master nodes with, for seeds of 16 to 64 bytes; by default with `secretBytes`. */
export function createMasters(engine: KeyEngine, seedBytes: number, allocate?: Allocate): Masters {
  const hmac = createHmac(engine, seedBytes, allocate);
  return {
    computeInto(node, seed) {
      hmac.setKey(MASTER_KEY);
      hmac.data.set(seed);
      hmac.computeInto(node);
      hmac.wipe();
    },
  };
}

/** Returns the hardened child of a node; `index` is 0 to 2^31 − 1, without the hardened bit. */
export function deriveChild(engine: KeyEngine, parent: Node, index: number): Node {
  const children = createChildren(engine);
  const node = secretBytes(NODE_BYTES);
  children.setParent(parent);
  children.deriveInto(node, index);
  children.wipe();
  return node;
}

/** Derives the hardened children of one parent after another; siblings share its chain code, and cost one HMAC each. */
export type Children = {
  /** Sets the parent. It is copied, and may be wiped or overwritten. */
  readonly setParent: (parent: Node) => void;
  /** Writes the child with an index of 0 to 2^31 − 1 in place. */
  readonly deriveInto: (node: Node, index: number) => void;
  /** Wipes the parent. */
  readonly wipe: () => void;
};

/** Allocates memory to derive children with, by default with `secretBytes`; it has no parent yet. */
export function createChildren(engine: KeyEngine, allocate?: Allocate): Children {
  const hmac = createHmac(engine, CHILD_DATA_BYTES, allocate);
  const index = new DataView(hmac.data.buffer, hmac.data.byteOffset + INDEX_AT, 4);
  return {
    setParent(parent) {
      hmac.setKey(parent.subarray(SEED_BYTES));
      hmac.data[0] = 0;
      hmac.data.set(nodeSeed(parent), 1);
    },
    deriveInto(node, at) {
      index.setUint32(0, HARDENED + at);
      hmac.computeInto(node);
    },
    wipe: hmac.wipe,
  };
}

/** Returns the node m/44'/501', the parent of every account. */
export function coinNode(engine: KeyEngine, master: Node): Node {
  const purpose = deriveChild(engine, master, PURPOSE);
  const coin = deriveChild(engine, purpose, COIN_TYPE);
  engine.wipe(purpose);
  return coin;
}

/** Returns the Ed25519 seed (32 bytes, wiped by the caller) at m/44'/501'/x'/y' of a BIP39 seed. */
export function deriveWallet(engine: KeyEngine, seed: Uint8Array, { x, y }: DerivationIndexes): Uint8Array {
  const node = masterNode(engine, seed);
  const children = createChildren(engine);
  for (const index of [PURPOSE, COIN_TYPE, x, y]) {
    children.setParent(node);
    children.deriveInto(node, index);
  }
  const walletSeed = copySecret(nodeSeed(node));
  children.wipe();
  engine.wipe(node);
  return walletSeed;
}

const BLOCK_BYTES = 128;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * HMAC-SHA512 (RFC 2104) of messages of one length: set a key, write into `data`, then compute, any number of times. Two plain hashes cost
 * a seventh of `createHmac` in node:crypto for a message as short as SLIP-0010's.
 */
type Hmac = {
  /** The message, to be written in place. */
  readonly data: Uint8Array;
  /** Sets the key, of at most 128 bytes. */
  readonly setKey: (key: Uint8Array) => void;
  readonly computeInto: (digest: Uint8Array) => void;
  /** Wipes key and message. */
  readonly wipe: () => void;
};

/** Allocates memory for a secret, which the caller wipes. */
type Allocate = (sizeBytes: number) => Uint8Array;

/** Creates an HMAC for messages of `dataBytes` bytes; its key is empty until it is set. */
function createHmac(engine: KeyEngine, dataBytes: number, allocate: Allocate = secretBytes): Hmac {
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
