import { hash, randomBytes } from 'node:crypto';
import * as ed25519 from '@noble/ed25519';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { HDKey } from 'micro-key-producer/slip10.js';
import { DEFAULT_PATH } from './derivation-path.ts';
import { type KeyEngine, PUBLIC_KEY_BYTES, SEED_BYTES, SHA512_BYTES, SIGNATURE_BYTES } from './engine.ts';
import { mnemonicOf } from './mnemonic.ts';
import { deriveWallet } from './slip10.ts';

/**
 * Ed25519 by @noble/ed25519, SHA-512 by OpenSSL. It computes with JavaScript's bigint: scalars of a seed stay in memory that cannot be
 * wiped before it is collected, and their timing is not constant. The native engine has neither weakness.
 */
export function createReferenceEngine(): KeyEngine {
  ed25519.hashes.sha512 = sha512;
  return {
    kind: 'reference',
    publicKey: (seed) => ed25519.getPublicKey(seed),
    keyPair(seed, { publicKey, secretKey }) {
      const made = ed25519.getPublicKey(seed);
      publicKey.set(made);
      secretKey.set(seed);
      secretKey.set(made, SEED_BYTES);
    },
    sign: (seed, message) => ed25519.sign(message, seed),
    verify,
    sha512,
    sha512Into(into, message) {
      if (into.length !== SHA512_BYTES) throw new RangeError('a SHA-512 digest has 64 bytes');
      const digest = sha512(message);
      into.set(digest);
      digest.fill(0);
    },
    wipe(...secrets) {
      for (const secret of secrets) secret.fill(0);
    },
  };
}

const PATH = "m/44'/501'/0'/0'";

/**
 * Compares an engine and this room's own code with the libraries that the reference is made of (@scure/bip39, micro-key-producer,
 * @noble/ed25519), for random bytes: their mnemonic, a key derived from them, its public key and a signature. @throws Error naming the
 * difference: no keys may be made with such an engine.
 */
export function assertAgreesWithReference(engine: KeyEngine, entropy: Uint8Array = randomBytes(32)): void {
  const reference = createReferenceEngine();
  const { privateKey: key } = HDKey.fromMasterSeed(entropy).derive(PATH);
  const ownKey = deriveWallet(engine, entropy, DEFAULT_PATH);
  assertEqual('a mnemonic', mnemonicOf(entropy), Buffer.from(entropyToMnemonic(entropy, wordlist)));
  assertEqual('a derived key', ownKey, key);
  assertEqual('a public key', engine.publicKey(ownKey), reference.publicKey(key));
  assertEqual('a signature', engine.sign(ownKey, entropy), reference.sign(key, entropy));
}

function assertEqual(what: string, own: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(own, expected) !== 0)
    throw new Error(`${what} differs from that of the reference engine; no keys are made`);
}

function verify(signature: Uint8Array, message: Uint8Array, publicKey: Uint8Array): boolean {
  if (signature.length !== SIGNATURE_BYTES || publicKey.length !== PUBLIC_KEY_BYTES) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    // An encoding that is not a point of the curve is not a signature.
    return false;
  }
}

/** The result is outside V8's heap; the caller wipes it. */
function sha512(message: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = hash('sha512', message, 'buffer');
  return new Uint8Array(buffer, byteOffset, length);
}
