import type { Readable } from 'node:stream';

/**
 * A node's reply body, unchanged. A reply of up to 64 KiB is whole, a larger one a stream that keeps at most a few chunks in
 * memory; the stream fails with a ServiceError if the node breaks off. The receiver of a stream must destroy it.
 */
export type UpstreamReply = (
  | { readonly kind: 'whole'; readonly body: Buffer; readonly isError: boolean }
  | { readonly kind: 'stream'; readonly body: Readable; readonly sizeBytes: number | undefined }
) & {
  /** True if its bytes are already reserved on the request's hold. */
  readonly isHeld?: boolean;
  /** The node that it is from; absent: it is not known, or the reply was kept. */
  readonly node?: string | undefined;
};
