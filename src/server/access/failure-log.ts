import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import type { ServiceError } from '../../core/service-error.ts';

/** Logs a call that a ledger node of a network failed to answer. */
export type LogFailure = (network: string, error: ServiceError) => void;

const QUIET_MS = 10_000;

type Silence = { readonly sinceMs: number; suppressed: number };

/**
 * Creates a log of node failures for the operator: each kind of failure at most once in ten seconds, then with the number of
 * those omitted. The reason never holds a node's address beyond host and port, nor what a client sent.
 */
export function createFailureLog(log: Logger, clock: Clock): LogFailure {
  const silences = new Map<string, Silence>();
  return (network, error) => {
    const { code } = error;
    const kind = `${network} ${code}`;
    const silence = silences.get(kind);
    const nowMs = clock.nowMs();
    if (silence !== undefined && nowMs - silence.sinceMs < QUIET_MS) {
      silence.suppressed++;
      return;
    }
    silences.set(kind, { sinceMs: nowMs, suppressed: 0 });
    const suppressed = silence?.suppressed ?? 0;
    log.warn({ network, error: code, reason: reasonOf(error), suppressed }, 'a ledger node failed');
  };
}

/** Returns the text of the innermost cause: the message of the system or the node. */
function reasonOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return reasonOf(error.cause) ?? (error.message === '' ? error.name : error.message);
}
