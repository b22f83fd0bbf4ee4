import type { Area } from './area.ts';
import { ledgerArea } from './areas/ledger.ts';
import { processArea } from './areas/process.ts';

/** The inputs of the pipeline; REST and stream documents become two more lines. */
export const AREAS: readonly Area[] = [processArea, ledgerArea];
