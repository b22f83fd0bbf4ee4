import type { Case } from '../../../runtime/contract-case.ts';
import { orderOf, readSaidVersion } from '../../upstream/nodes/node-version.ts';
import { call, type RpcTarget } from '../json-rpc.ts';

/** What the version of a server tells of the cases that not every node can answer. */
export type VersionNeed = {
  /** Why a case is not sent: the server is known to lack what it shows. Undefined if it is sent. */
  readonly whyLeftOut: (item: Case) => string | undefined;
  /** Whether the server may lack what the case shows: it says no version, or one that cannot be ordered. */
  readonly mayBeLacking: (item: Case) => boolean;
};

/** Asks a server for its version. */
export async function askVersionNeed(target: RpcTarget): Promise<VersionNeed> {
  const said = readSaidVersion(await call(target, 'getVersion').catch(() => undefined));
  const order = said?.order;
  return {
    whyLeftOut: ({ since }) =>
      since === undefined || order === undefined || order >= orderOf(since)
        ? undefined
        : `it needs a newer node: ${since} (the server says ${said?.version})`,
    mayBeLacking: ({ since }) => since !== undefined && order === undefined,
  };
}
