import type { ProtocolResult } from './run-protocol.ts';

/** A result as some lines of text. */
export function renderProtocol({
  name,
  requests,
  seconds,
  answers,
  usedMiB,
  grownMiB,
  faults,
}: ProtocolResult): string {
  const counts = [...answers].sort(([, a], [, b]) => b - a).map(([answer, count]) => `${answer}: ${count}`);
  const grown = Object.entries(grownMiB).map(
    ([process, mib]) => `${process} ${mib?.toFixed(1) ?? 'too short to tell'}`,
  );
  const [warm, end] = usedMiB;
  return [
    `${name}: ${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)} per second)`,
    `  answers: ${counts.join(', ')}`,
    `  memory in use: ${warm.toFixed(1)} MiB after a tenth, ${end.toFixed(1)} MiB at the end; resident memory grew by MiB: ${grown.join(', ')}`,
    ...(faults.length === 0 ? ['  everything held'] : faults.map((fault) => `  FAULT ${fault}`)),
  ].join('\n');
}
