import { createHash } from 'node:crypto';
import { knownFeatures } from '../bank/runtime.ts';

/** The validator version whose answers the ledger gives; semver, as Rust clients demand. */
export const NODE_VERSION = '4.4.0';
/** The client whose behaviour, RPC and features these are. */
export const CLIENT_ID = 'Agave';

/** The number of the feature set: the head of the hash over all feature ids that the runtime knows, in order. */
export const FEATURE_SET: number = featureSet();

function featureSet(): number {
  const hash = createHash('sha256');
  for (const id of [...knownFeatures()].sort(Buffer.compare)) hash.update(id);
  return hash.digest().readUInt32LE(0);
}
