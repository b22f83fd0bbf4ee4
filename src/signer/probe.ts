import { toServiceError } from '../core/service-error.ts';
import type { Signer } from './signer.ts';

/** `ready`, or the name of the error. */
export type SignerState = string;

const DEADLINE_MS = 1_000;
const VALID_MS = 1_000;

/**
 * Asks the signer whether keys can be used, at most once a second and one request at a time, however often it is called. Without an answer
 * within `deadlineMs` the result is `signerUnavailable`. Never rejects.
 */
export function createSignerProbe(
  { health }: Pick<Signer, 'health'>,
  deadlineMs = DEADLINE_MS,
): () => Promise<SignerState> {
  let latest: Promise<SignerState> | undefined;
  const ask = (): Promise<SignerState> => {
    const asked = health().then(
      () => 'ready',
      (error: unknown) => toServiceError(error).code,
    );
    void asked.then(() => setTimeout(forget, VALID_MS).unref());
    return asked;
  };
  const forget = (): void => {
    latest = undefined;
  };
  return () => {
    latest ??= ask();
    return within(latest, deadlineMs);
  };
}

async function within(answer: Promise<SignerState>, deadlineMs: number): Promise<SignerState> {
  const late = Promise.withResolvers<SignerState>();
  const timer = setTimeout(() => late.resolve('signerUnavailable'), deadlineMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
