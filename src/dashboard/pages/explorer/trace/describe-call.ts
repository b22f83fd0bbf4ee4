import type { TracedCall, TraceStatus } from '../../../../../generated/localnet/types.ts';

export const STATUS_WORDS: Readonly<Record<TraceStatus, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  notRun: 'not run',
  unknown: 'not known',
};
export const STATUS_TONES: Readonly<Record<TraceStatus, 'good' | 'bad' | 'off'>> = {
  succeeded: 'good',
  failed: 'bad',
  notRun: 'off',
  unknown: 'off',
};

/** Returns the names of a call: "spl-token: transfer". */
export function callTitle({ program, instruction }: Pick<TracedCall, 'program' | 'instruction'>): string {
  const name = program ?? 'Program';
  return instruction === null ? name : `${name}: ${instruction}`;
}
