import { fromHex } from '../../../../runtime/hex.ts';
import type { VerifyDeps } from './verify-chain.ts';

type PublicKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** True if the browser can compute hashes: over HTTPS, or on localhost. */
export function canVerify(): boolean {
  return globalThis.crypto?.subtle !== undefined;
}

/** Hashes and verifies with the browser; a library is loaded for Ed25519 if the browser lacks it. */
export function browserCrypto(): Pick<VerifyDeps, 'digest' | 'isSignature'> {
  const keys = new Map<string, Promise<PublicKey | undefined>>();
  const keyOf = (publicKey: string): Promise<PublicKey | undefined> => {
    const kept = keys.get(publicKey) ?? importKey(publicKey);
    keys.set(publicKey, kept);
    return kept;
  };
  return {
    digest: (bytes) => crypto.subtle.digest('SHA-256', bytes),
    isSignature: async ({ public_key, signature }, bytes) => {
      const key = await keyOf(public_key);
      if (key !== undefined) return await crypto.subtle.verify('Ed25519', key, fromHex(signature), bytes);
      const { verifyAsync } = await import('@noble/ed25519');
      return await verifyAsync(fromHex(signature), bytes, fromHex(public_key), { zip215: false });
    },
  };
}

async function importKey(publicKey: string): Promise<PublicKey | undefined> {
  try {
    return await crypto.subtle.importKey('raw', fromHex(publicKey), 'Ed25519', false, ['verify']);
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotSupportedError') return undefined;
    throw error;
  }
}
