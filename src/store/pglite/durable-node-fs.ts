import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/**
 * PGlite's file system with a working fsync. PGlite starts PostgreSQL with fsync off, and Emscripten's NODEFS has no
 * such operation: committed rows would survive the death of the process, not that of the machine.
 */
export class DurableNodeFs extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/**
 * PGlite's own start parameters without `-F` (no fsync), with the sync method that reaches `fsync` below, and with
 * buffers and a log that fit a gateway's store: the default of 128 MB would be taken from memory in full, and 1 GB of old log be kept.
 */
export const START_PARAMS: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=16MB', '-c', 'max_wal_size=128MB'],
];

type NodeFsModule = { NODEFS: { stream_ops: { fsync?: (stream: { readonly nfd: number }) => number } } };

function addFsync(module: unknown): void {
  (module as NodeFsModule).NODEFS.stream_ops.fsync = (stream) => {
    fsyncSync(stream.nfd);
    return 0;
  };
}
