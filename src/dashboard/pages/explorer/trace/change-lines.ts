import type { TracedAccount } from '../../../../../generated/localnet/types.ts';
import { formatCount } from '../../../parts/format-number.ts';

/** Says what changed in an account beside its lamports and the bytes of its data. */
export function changeLines({ states, dataChanges }: TracedAccount): readonly string[] {
  if (states === null) return [];
  const { before, after } = states;
  if (before === null && after === null) return [];
  if (before === null)
    return after === null ? [] : [`made with ${formatCount(after.space)} bytes, owner ${after.owner}`];
  if (after === null) return ['removed'];
  return [
    ...(before.owner === after.owner ? [] : [`owner ${before.owner} → ${after.owner}`]),
    ...(before.space === after.space
      ? []
      : [`${formatCount(before.space)} → ${formatCount(after.space)} bytes`]),
    ...(before.executable === after.executable ? [] : ['made executable']),
    ...(dataChanges.length === 0 ? [] : ['bytes from, in base-64:']),
  ];
}
