import type { Finding } from './finding.ts';
import type { OwnBytes } from './sample-room.ts';

/** A message to check against the specification, as the bytes that a node sent. */
export type CheckRequest =
  /** The reply to a call of a method. */
  | { readonly kind: 'reply'; readonly method: string; readonly parts: readonly OwnBytes[] }
  /** The replies to a batch, whose bytes are `calls`. */
  | { readonly kind: 'batch'; readonly calls: OwnBytes; readonly parts: readonly OwnBytes[] }
  | { readonly kind: 'notification'; readonly parts: readonly OwnBytes[] };

export type ToThread = { readonly id: number; readonly request: CheckRequest };

/** `findings` is undefined if the answer could not be read. */
export type FromThread = { readonly id: number; readonly findings: readonly Finding[] | undefined };
