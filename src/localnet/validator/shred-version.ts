/** Returns the 16-bit shred version of a cluster, folded from its genesis hash (crate solana-shred-version). */
export function shredVersion(genesisHash: Uint8Array): number {
  const folded = genesisHash.reduce((sum, byte, index) => sum ^ (index % 2 === 0 ? byte << 8 : byte), 0);
  return Math.min(folded + 1, 0xffff);
}
