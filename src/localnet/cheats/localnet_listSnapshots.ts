import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { snapshotInfo } from './snapshot-info.ts';

export const localnetListSnapshots: LedgerHandler<Ledger, 'localnet_listSnapshots'> = ({ snapshots }) =>
  Array.from(snapshots, ([name, snapshot]) => snapshotInfo(name, snapshot));
