import { fsyncSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** Mask that removes the rights of group and others. */
const OF_OWNER = ~0o077;

/**
 * PGlite's file system with a working fsync, accessible to its owner only. PGlite starts PostgreSQL with fsync off, and Emscripten's NODEFS
 * has no such operation: committed rows would survive the death of the process, but not a power loss. It creates most files with mode 0666,
 * by chmod, which no umask narrows.
 */
export class DurableNodeFs extends NodeFS {
  override async init(...[pglite, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pglite, options);
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync, keepPrivate];
    return { emscriptenOpts: { ...emscriptenOpts, preRun } };
  }
}

/**
 * PGlite's own start parameters without `-F` (no fsync), with the sync method that reaches `fsync` below, and with buffers and a log sized
 * for a gateway's store: the default of 128 MB would be allocated in full, and 1 GB of old log kept.
 */
export const START_PARAMS: string[] = [
  ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
  ...['-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=16MB', '-c', 'max_wal_size=128MB'],
];

type Attributes = { mode?: number };

type NodeFsModule = {
  NODEFS: {
    node_ops: {
      mknod: (parent: unknown, name: string, mode: number, device: number) => unknown;
      setattr: (node: unknown, attributes: Attributes) => void;
    };
    stream_ops: {
      fsync?: (stream: { readonly nfd: number }) => number;
      setattr: (stream: unknown, attributes: Attributes) => void;
    };
  };
};

function addFsync(module: unknown): void {
  (module as NodeFsModule).NODEFS.stream_ops.fsync = (stream) => {
    fsyncSync(stream.nfd);
    return 0;
  };
}

/** Removes others' rights from every mode that a file or directory is created with or changed to. */
function keepPrivate(module: unknown): void {
  const { node_ops: nodes, stream_ops: streams } = (module as NodeFsModule).NODEFS;
  const { mknod, setattr: setOfNode } = nodes;
  const { setattr: setOfStream } = streams;
  nodes.mknod = (parent, name, mode, device) => mknod(parent, name, mode & OF_OWNER, device);
  nodes.setattr = (node, attributes) => setOfNode(node, narrowed(attributes));
  streams.setattr = (stream, attributes) => setOfStream(stream, narrowed(attributes));
}

function narrowed(attributes: Attributes): Attributes {
  const { mode } = attributes;
  return mode === undefined ? attributes : { ...attributes, mode: mode & OF_OWNER };
}
