import { mkdirSync } from 'node:fs';
import { openTombstones } from '../../../src/signer/tombstones/tombstones.ts';
import type { RecordSigner } from '../../../src/account/signer-records/publish-record.ts';
import { createHeadKey } from '../audit/head-key.ts';

export type SignerIdentity = ReturnType<typeof createHeadKey>;

/** Opens a signer's side of its record in this process, over the files of a directory. */
export async function openTestSigner(
  directory: string,
  identity: SignerIdentity = createHeadKey(),
  acceptsLoss = false,
): Promise<RecordSigner & { readonly close: () => Promise<void> }> {
  mkdirSync(directory, { recursive: true });
  const tombstones = await openTombstones(directory, {
    mayCreate: true,
    acceptsLoss,
    onCut: () => undefined,
  });
  return {
    auditPublicKey: identity.publicKey,
    signAuditHead: identity.signHead,
    readTombstones: tombstones.read,
    addTombstones: tombstones.add,
    adoptTombstones: tombstones.adopt,
    destroy: ({ walletId, derivedFrom }) => tombstones.bury(walletId, derivedFrom),
    close: tombstones.close,
  };
}
