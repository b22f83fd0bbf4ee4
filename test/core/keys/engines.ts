import { createNativeEngine } from '../../../src/core/keys/native-engine.ts';
import { createReferenceEngine } from '../../../src/core/keys/reference-engine.ts';

/** Both engines, which are held to the same. */
export const ENGINES = [createNativeEngine(), createReferenceEngine()];

/** The bytes of hex digits, in memory of their own. */
export function hex(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'hex'));
}

/** The hex digits of bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
