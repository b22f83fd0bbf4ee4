import type { ServerResponse } from 'node:http';

const BROKEN = new WeakSet<ServerResponse>();

/** Marks an answer that this server breaks off, or cannot give; call it before its connection is destroyed. */
export function markBroken(response: ServerResponse): void {
  BROKEN.add(response);
}

/** True for an answer that this server broke off or could not give. */
export function isBroken(response: ServerResponse): boolean {
  return BROKEN.has(response);
}
