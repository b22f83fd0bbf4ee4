import type { Area } from './area.ts';
import { ledgerArea } from './areas/ledger.ts';
import { processArea } from './areas/process.ts';
import { walletsArea } from './areas/wallets.ts';

/** The inputs of the pipeline; the stream documents become one more line. */
export const AREAS: readonly Area[] = [processArea, ledgerArea, walletsArea];
