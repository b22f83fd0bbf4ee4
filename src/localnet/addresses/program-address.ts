import { createHash } from 'node:crypto';
import { Point } from '@noble/ed25519';
import { base58 } from '@scure/base';

const MARKER = Buffer.from('ProgramDerivedAddress');
const HIGHEST_BUMP = 255;

/**
 * Returns the address that a program derives from seeds: the first hash, from bump 255 down, that is no public key, as
 * `Pubkey::find_program_address` finds it.
 */
export function programAddress(program: string, seeds: readonly Uint8Array[]): string {
  for (let bump = HIGHEST_BUMP; bump >= 0; bump--) {
    const hash = createHash('sha256');
    for (const part of [...seeds, Uint8Array.of(bump), base58.decode(program), MARKER]) hash.update(part);
    const derived = hash.digest();
    if (!isPublicKey(derived)) return base58.encode(derived);
  }
  throw new Error(`no address of ${program} can be derived from these seeds`);
}

/** By the rules of Solana's curve library, which takes encodings of ZIP 215 too. */
function isPublicKey(bytes: Uint8Array): boolean {
  try {
    Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}
