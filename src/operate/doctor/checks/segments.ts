import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { SEGMENTS } from '../../../gateway/streams/segments/start-segments.ts';
import { isMissing } from '../../../gateway/streams/segments/list-segments.ts';
import { freeBytesOf, listFiles, mostBytes } from '../../../gateway/streams/segments/make-room.ts';
import type { Check, Finding } from '../finding.ts';

const part = 'topic files';
const gigabytes = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`;

/** Checks that blocks of topics can be kept in files, up to the configured size. */
export const checkSegments: Check = async ({ config }) => {
  const root = join(config.data_dir, SEGMENTS);
  const { segments_bytes: maxBytes } = config.grpc;
  try {
    await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if (isMissing(error)) return { part, state: 'skipped', detail: 'no blocks of topics are kept yet' };
    return {
      part,
      state: 'wrong',
      detail: `${root} cannot be written`,
      remedy: 'give it to the user of the server; streams continue meanwhile, but cannot resume as far back',
    };
  }
  return await examineFiles(root, maxBytes);
};

async function examineFiles(root: string, maxBytes: number): Promise<Finding> {
  const files = await listFiles(root);
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (maxBytes === 0 && total === 0)
    return { part, state: 'skipped', detail: 'disabled by KEYSLOT_STREAM_SEGMENTS_BYTES' };
  if (maxBytes === 0) {
    const detail = `${gigabytes(total)} of blocks of topics are left in ${root}, though they are no longer kept`;
    return { part, state: 'warning', detail, remedy: 'delete that directory' };
  }
  const most = mostBytes(maxBytes, total, await freeBytesOf(root));
  const detail = `${gigabytes(total)} of blocks of topics are kept, at most ${gigabytes(most)}`;
  if (most === maxBytes) return { part, state: 'ok', detail };
  return {
    part,
    state: 'warning',
    detail: `${detail}, though ${gigabytes(maxBytes)} are allowed`,
    remedy:
      'they take at most half of what the disk would have free without them: free space, or lower KEYSLOT_STREAM_SEGMENTS_BYTES',
  };
}
