import type { Readable } from 'node:stream';

/**
 * A node's reply body, unchanged. A reply of up to 64 KiB comes whole, a larger one as a stream that keeps at most a few
 * chunks in memory; the stream fails with a ServiceError if the node breaks off. Whoever takes a stream destroys it.
 */
export type UpstreamReply = (
  | { readonly kind: 'whole'; readonly body: Buffer; readonly isError: boolean }
  | { readonly kind: 'stream'; readonly body: Readable; readonly sizeBytes: number | undefined }
) & {
  /** Its bytes are drawn on the hold of its request already. */
  readonly isHeld?: boolean;
};
