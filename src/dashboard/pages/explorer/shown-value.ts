import { isBase58 } from '../../../../runtime/base58.ts';
import { formatCount, formatSol } from '../../parts/format-number.ts';

/** A parsed value by the way it is shown. */
export type ShownValue =
  | { readonly kind: 'address' | 'signature' | 'text'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly unknown[]; readonly left: number }
  | { readonly kind: 'members'; readonly members: readonly (readonly [name: string, value: unknown])[] };

/** Items of a list that are shown. A stake history has hundreds. */
const MAX_ITEMS = 50;

/** Returns how a member of a parsed account or instruction is shown. Numbers keep every digit; lamports are in SOL as well. */
export function shownValue(value: unknown, name?: string): ShownValue {
  if (typeof value === 'string')
    return {
      kind: isBase58(value, 32) ? 'address' : isBase58(value, 64) ? 'signature' : 'text',
      text: value,
    };
  if (Array.isArray(value))
    return { kind: 'list', items: value.slice(0, MAX_ITEMS), left: Math.max(value.length - MAX_ITEMS, 0) };
  if (typeof value === 'object' && value !== null) return { kind: 'members', members: Object.entries(value) };
  return { kind: 'text', text: name === 'lamports' ? lamportsText(value) : String(value) };
}

function lamportsText(value: unknown): string {
  if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) return String(value);
  const lamports = BigInt(value as bigint | number);
  return `${formatCount(lamports)} (${formatSol(lamports)} SOL)`;
}
