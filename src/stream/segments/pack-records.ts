import type { PackableBlock } from './block-bytes.ts';
import { type BlockRecord, recordOf } from './block-record.ts';

/** Packs blocks for files, beside the main thread. */
export async function packRecords(blocks: readonly PackableBlock[]): Promise<readonly BlockRecord[]> {
  return await Promise.all(blocks.map(async ({ block, pack }) => recordOf(block, await pack())));
}
