import { createBase58Encoder } from './base58.ts';
import { DEFAULT_PATH } from './derivation-path.ts';
import { type KeyEngine, PUBLIC_KEY_BYTES } from './engine.ts';
import { mnemonicOf, mnemonicSeedNow, passphraseSalt } from './mnemonic.ts';
import { deriveChild, deriveWallet, masterNode } from './slip10.ts';

/** RFC 8032 §7.1, test 2. */
const RFC_8032 = {
  seed: '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
  publicKey: '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
  message: '72',
  signature:
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
};

/** SLIP-0010, test vector 1 for ed25519, m and m/0'. */
const SLIP_0010 = {
  seed: '000102030405060708090a0b0c0d0e0f',
  master:
    '2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e790046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb',
  child:
    '68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a38b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69',
};

/** BIP39, first English vector of Trezor; the address is the one that Solana wallets show for its words without a passphrase. */
const BIP39 = {
  entropy: '00000000000000000000000000000000',
  mnemonic: `${'abandon '.repeat(11)}about`,
  passphrase: 'TREZOR',
  seed: 'c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141630c7a3c4ab7c81b2f001698e7463b04',
  address: 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk',
};

/**
 * Tests an engine, OpenSSL's PBKDF2 and the code of this directory against published answers, in a few milliseconds. The secrets used here
 * are published. @throws Error naming the difference: no keys may be created with such an engine.
 */
export function assertKnownAnswers(engine: KeyEngine): void {
  assertSame('SHA-512', engine.sha512(fromHex('616263')).slice(0, 8), 'ddaf35a193617aba');
  assertEd25519(engine);
  const slipMaster = masterNode(engine, fromHex(SLIP_0010.seed));
  assertSame('the SLIP-0010 master', slipMaster, SLIP_0010.master);
  assertSame('a SLIP-0010 child', deriveChild(engine, slipMaster, 0), SLIP_0010.child);
  const mnemonic = mnemonicOf(fromHex(BIP39.entropy));
  assertSame('a BIP39 mnemonic', mnemonic, toHex(Buffer.from(BIP39.mnemonic)));
  assertSame('a BIP39 seed', mnemonicSeedNow(mnemonic, passphraseSalt(BIP39.passphrase)), BIP39.seed);
  const seed = mnemonicSeedNow(mnemonic, passphraseSalt());
  const publicKey = engine.publicKey(deriveWallet(engine, seed, DEFAULT_PATH));
  const digits = new Uint8Array(createBase58Encoder(PUBLIC_KEY_BYTES).maxDigits);
  const end = createBase58Encoder(PUBLIC_KEY_BYTES).writeInto(digits, 0, publicKey);
  assertSame('an address', digits.subarray(0, end), toHex(Buffer.from(BIP39.address)));
}

function assertEd25519(engine: KeyEngine): void {
  const seed = fromHex(RFC_8032.seed);
  const publicKey = fromHex(RFC_8032.publicKey);
  const message = fromHex(RFC_8032.message);
  assertSame('an Ed25519 public key', engine.publicKey(seed), RFC_8032.publicKey);
  const pair = { publicKey: new Uint8Array(32), secretKey: new Uint8Array(64) };
  engine.keyPair(seed, pair);
  assertSame('an Ed25519 pair', pair.secretKey, RFC_8032.seed + RFC_8032.publicKey);
  const signature = engine.sign(seed, message);
  assertSame('an Ed25519 signature', signature, RFC_8032.signature);
  const isRefused = !engine.verify(signature, fromHex('73'), publicKey);
  if (!engine.verify(signature, message, publicKey) || !isRefused) throw differs('Ed25519 verification');
}

function assertSame(what: string, bytes: Uint8Array, expected: string): void {
  if (toHex(bytes) !== expected) throw differs(what);
}

function differs(what: string): Error {
  return new Error(
    `known-answer test failed: ${what} differs from the published one; creating keys is disabled`,
  );
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
