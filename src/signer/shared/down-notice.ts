import { encodeFrame } from '../wire/frame.ts';

/** The id of the first request on a link, and of what is said of the link itself. */
export const LINK_ID = 0;
/** The outcome of no request. */
const DOWN = 255;

/** Tells a worker that the signer is gone: what it has not answered, and what is sent before the next opening, is lost. */
export const DOWN_NOTICE = encodeFrame({ id: LINK_ID, code: DOWN, payload: Buffer.alloc(0) });

/** True for that notice. */
export function isDownNotice({ id, code }: { readonly id: number; readonly code: number }): boolean {
  return id === LINK_ID && code === DOWN;
}
