import { createHash } from 'node:crypto';
import { knownFeatures } from '../bank/runtime.ts';

/** The validator version that the ledger emulates; semver, as Rust clients require. */
export const NODE_VERSION = '4.4.0';
/** The client whose behaviour, RPC and features the ledger emulates. */
export const CLIENT_ID = 'Agave';

/** The number of the feature set: the head of the hash over all feature ids that the runtime knows, in order. */
export const FEATURE_SET: number = featureSet();

function featureSet(): number {
  const hash = createHash('sha256');
  for (const id of [...knownFeatures()].sort(Buffer.compare)) hash.update(id);
  return hash.digest().readUInt32LE(0);
}
