import type { Area } from './area.ts';
import { ledgerArea } from './areas/ledger.ts';
import { localnetArea } from './areas/localnet.ts';
import { processArea } from './areas/process.ts';
import { streamArea } from './areas/stream.ts';
import { restArea } from './areas/rest.ts';
import { ACCOUNT, WALLETS } from './model/rest/service.ts';

/** The inputs of the pipeline. */
export const AREAS: readonly Area[] = [
  processArea,
  ledgerArea,
  localnetArea,
  restArea(WALLETS),
  restArea(ACCOUNT),
  streamArea,
];
